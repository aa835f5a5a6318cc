"""Every op has a handler, a number that stays, fields that are only ever appended, and a row in the docs; and
what a recorded log comes to changes only together with STATE_MACHINE_REVISION."""

import json
import re
from pathlib import Path

import pytest

from corvo.core.limits import STATE_MACHINE_REVISION
from corvo.fsm.registry import HANDLERS
from corvo.ops import entry
from corvo.ops.base import BY_NUMBER
from tests.model_walk import recorded

ROOT = Path(__file__).parents[2]
#: Ops without a handler of their own, and why.
AROUND = {"Once": "the machine runs the ops it covers"}


@pytest.mark.parametrize("number", sorted(BY_NUMBER))
def test_an_op_and_its_handler_are_in_files_of_one_name(number):
    op = BY_NUMBER[number]
    if op.__name__ in AROUND:
        assert op not in HANDLERS
        return
    assert HANDLERS[op].__module__.rpartition(".")[2] == op.__module__.rpartition(".")[2]


def test_every_family_of_ops_is_decoded():
    assert {op.__module__ for op in BY_NUMBER.values()} == {family.__name__ for family in entry.FAMILIES}


@pytest.mark.parametrize("number", sorted(BY_NUMBER))
def test_an_op_is_in_the_reference(number):
    page = (ROOT / "docs/reference/wire-formats.md").read_text()
    assert re.search(rf"^\| {number} \| `?{BY_NUMBER[number].__name__}`? \|", page, re.MULTILINE)


def test_fields_on_disk_are_only_ever_appended():
    """`python -m tests.model_walk.recorded` writes new ones down."""
    known = json.loads(recorded.FIELDS.read_text())
    present = recorded.arrays()
    for name, fields in known.items():
        assert f"{present[name]} ".startswith(f"{fields} "), f"{name}: a field was removed, renamed or moved"
    assert present == known, "new fields: run python -m tests.model_walk.recorded"


def test_a_recorded_log_comes_to_what_it_came_to():
    """If it does not, an op comes to something else than before, and nodes of both versions would differ.
    Raise STATE_MACHINE_REVISION, then run `python -m tests.model_walk.recorded`."""
    known = json.loads(recorded.DIGESTS.read_text())
    assert max(map(int, known)) == STATE_MACHINE_REVISION
    assert recorded.digest(recorded.logs()) == known[str(STATE_MACHINE_REVISION)]
