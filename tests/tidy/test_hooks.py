"""The git hooks run what `make check` runs, no more and no less.

A hook that `make check` lacks would stop a commit for a reason nobody can reproduce; one that it has and
the hooks lack would let a commit through that the gate refuses.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def commands_of_make(target: str) -> set[str]:
    """The commands in the recipe of a target, written as in a hook."""
    makefile = (ROOT / "Makefile").read_text()
    found = re.search(rf"^{target}:[^\n]*\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE)
    assert found, f"the Makefile has no recipe for {target}"
    lines = found[1].replace("$(BIN)", ".venv/bin").splitlines()
    return {line.strip().removesuffix(" .") for line in lines}


def hooks() -> dict[str, str]:
    """Each hook's id and the command it runs."""
    config = (ROOT / ".pre-commit-config.yaml").read_text()
    return dict(re.findall(r"- id: (\S+)\n.*?\n\s+entry: ([^\n]+)", config))


def test_the_hooks_are_the_commands_of_make_check() -> None:
    assert "check: lint quick " in (ROOT / "Makefile").read_text()
    assert set(hooks().values()) == commands_of_make("lint") | {"make quick"}


def test_every_hook_was_read() -> None:
    config = (ROOT / ".pre-commit-config.yaml").read_text()
    assert len(hooks()) == config.count("- id:") == config.count("entry:")
