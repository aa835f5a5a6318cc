"""docs/glossary.md has a row for each actor, and no row for one that is gone."""

import ast
import re

from tests.tidy.test_tree import ROOT

PAGE = (ROOT / "docs/glossary.md").read_text()
#: Classes that actors have in common.
SHARED = {"Submitter", "Queries", "Rebuilding"}


def actors() -> set[str]:
    found: dict[str, set[str]] = {}
    for path in (ROOT / "corvo/actors").rglob("*.py"):
        if "kernel" not in path.parts:
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef):
                    found[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
    kinds = {"Actor", "ThreadActor"}
    while more := {name for name, bases in found.items() if bases & kinds} - kinds:
        kinds |= more
    return kinds - {"Actor", "ThreadActor"} - SHARED


def test_every_actor_has_a_row():
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.split("\n## Actors\n")[1], re.MULTILINE)
    assert sorted(rows) == sorted(actors())


def test_no_word_has_two_meanings():
    words = [
        word.strip()
        for row in re.findall(r"^\| ([^|]+) \| [^|]+ \|$", PAGE, re.MULTILINE)
        for word in row.split(",")
        if not set(row) <= {"-"}
    ]
    doubled = {word for word in words if words.count(word) > 1} - {"word", "means"}
    assert doubled == set()
