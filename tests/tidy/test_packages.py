"""Nothing in the tree tells anybody, or pip, to install a package that strangers own.

On PyPI `corvo` and `corvo-client` are not ours. The server is `corvo-server`, the SDK `corvo-sdk`.
"""

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = {"corvo-server", "corvo-sdk"}
#: Options of pip that take a word of their own.
TAKING = {"-c", "-r", "-e", "--constraint", "--requirement", "--only-binary", "--target", "--python"}

PROJECTS = [ROOT / "pyproject.toml", ROOT / "sdk/python/pyproject.toml"]
TRACKED = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    if not name.startswith(("corvo/http/static/", "docs/screenshots/")) and (ROOT / name).is_file()
]


def bare(requirement: str) -> str:
    """The name of a package, as PyPI compares names."""
    return re.split(r"[\s\[<>=!~;@]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def requirements(project: Path) -> list[str]:
    described = tomllib.loads(project.read_text())
    extras = described["project"].get("optional-dependencies", {})
    return [
        *described["build-system"]["requires"],
        *described["project"]["dependencies"],
        *(requirement for extra in extras.values() for requirement in extra),
    ]


#: Packages of others that we chose, each with a row in docs/adr/0002-dependencies.md, and what they bring.
CHOSEN = {bare(requirement) for project in PROJECTS for requirement in requirements(project)} - OURS
CHOSEN |= {bare(line) for line in (ROOT / "constraints.txt").read_text().split()} | {"pip", "py-spy"}


def pip_lines() -> list[tuple[str, str]]:
    """What follows `pip install`, wherever it is written, up to the end of the command."""
    found = []
    for path in TRACKED:
        if path == Path(__file__):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        after = re.findall(r"(?:\bpip|\$\(PIP\)|\bpipx) install\b([^\n`|&;)#]*)", text)
        name = str(path.relative_to(ROOT))
        found += [(name, words.partition(", ")[0].strip().rstrip('\\.,:"')) for words in after]
    return found


def packages(words: str) -> list[str]:
    """What pip would look for by name; paths, options and variables are none of that."""
    try:
        split = shlex.split(words)
    except ValueError:
        split = words.replace("'", " ").split()
    found, skips = [], False
    for word in split:
        if skips or word.startswith(("-", "$", ".", "/", "%", "{", "sdk/", "<")):
            skips = word in TAKING
        else:
            found.append(bare(word.strip("'\",")))
    return [name for name in found if re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name)]


def test_there_are_lines_to_read():
    assert len(pip_lines()) >= 8


@pytest.mark.parametrize(("path", "words"), pip_lines())
def test_a_line_for_pip_names_our_packages_or_chosen_ones(path, words):
    names = packages(words)
    assert set(names) <= OURS | CHOSEN, f"{path}: pip install {words}"


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_project_is_ours_and_needs_nothing_that_looks_like_ours(project):
    assert tomllib.loads(project.read_text())["project"]["name"] in OURS
    alike = {bare(requirement) for requirement in requirements(project) if "corvo" in requirement}
    assert alike <= OURS


def test_nobody_is_sent_to_the_packages_of_strangers():
    """Not even in prose: `corvo-client` was our SDK's name once."""
    lines = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in TRACKED
        if path.suffix in (".md", ".py", ".toml", ".txt", ".yml", ".yaml", ".ts", ".tsx", "")
        and path not in (Path(__file__), ROOT / "CHANGELOG.md")
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if re.search(r"(?<![\w-])corvo[-_]client(?![\w-])", line)
    ]
    assert lines == []
