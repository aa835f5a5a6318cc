"""The tree keeps its own rules: what linters cannot see."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "corvo").rglob("*.py"))
SDK = sorted((ROOT / "sdk/python/corvo_sdk").rglob("*.py"))
ALL = sorted(
    path for top in ("corvo", "tests", "chaos", "bench", "sdk") for path in (ROOT / top).rglob("*.py")
)
LINES_MAX = 400
MODULES_MAX = 25


def names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


def test_no_file_has_outgrown_its_idea():
    long = [path for path in SOURCES + SDK if len(path.read_text().splitlines()) > LINES_MAX]
    assert names(long) == []


def test_files_are_short_on_the_whole():
    lines = sorted(len(path.read_text().splitlines()) for path in SOURCES if path.name != "__init__.py")
    assert lines[len(lines) // 2] <= 130


def test_no_folder_has_more_modules_than_a_reader_takes_in():
    folders = {path.parent for path in ALL}
    crowded = [
        folder
        for folder in folders
        if sum(path.name != "__init__.py" for path in folder.glob("*.py")) > MODULES_MAX
    ]
    assert names(crowded) == []


@pytest.mark.parametrize("sources", [SOURCES, SDK], ids=["server", "sdk"])
def test_no_two_public_classes_share_a_name(sources):
    homes = defaultdict(set)
    for path in sources:
        if "sync" not in path.parts:  # Made of the asyncio client.
            for node in _tree(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].add(str(path.relative_to(ROOT)))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_every_module_says_what_it_is():
    mute = [path for path in SOURCES + SDK if path.stat().st_size and not ast.get_docstring(_tree(path))]
    assert names(mute) == []


def test_every_package_folder_is_a_package():
    folders = {path.parent for path in SOURCES}
    assert names(folder for folder in folders if not (folder / "__init__.py").exists()) == []


def test_every_exception_to_a_rule_has_a_reason():
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in ALL
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"#\s*(noqa: [A-Z0-9, ]+|type: ignore(\[[^]]*\])?)\s*$", line)
        and "tidy" not in path.parts
    ]
    assert bare == []


def test_nothing_is_left_to_be_done_later():
    left = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in ALL
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line) and "tidy" not in path.parts
    ]
    assert left == []


def test_nobody_prints_but_those_who_speak_to_people():
    speaking = {"cli"}
    printing = [
        path
        for path in SOURCES
        if path.relative_to(ROOT / "corvo").parts[0] not in speaking
        and any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            for node in ast.walk(_tree(path))
        )
    ]
    assert names(printing) == []


def test_actors_tests_never_sleep():
    sleeping = [
        path
        for folder in ("actors", "fsm", "property", "sim", "core", "ops")
        for path in (ROOT / "tests" / folder).rglob("test_*.py")
        if re.search(r"\b(time|asyncio)\.sleep\((?!0\))", path.read_text()) and "kernel" not in path.parts
    ]
    assert names(sleeping) == []


def test_nothing_is_unpickled():
    guilty = [
        path
        for path in SOURCES
        if re.search(
            r"^\s*(import pickle|from pickle|import shelve|import marshal)", path.read_text(), re.MULTILINE
        )
    ]
    assert names(guilty) == []


@cache
def _tree(path):
    return ast.parse(path.read_text())
