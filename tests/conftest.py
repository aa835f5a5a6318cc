"""Fixtures that every folder of tests may use."""

import os

import pytest
from hypothesis import settings

from corvo.storage.invariants import check
from tests.support.fsm import Fsm

# `make test` asks for more examples than the quick suite; a bug hunt may ask for any number.
EXAMPLES = int(os.environ.get("EXAMPLES", "40"))
settings.register_profile("corvo", deadline=None, max_examples=EXAMPLES, print_blob=True)
settings.load_profile("corvo")


@pytest.fixture
def fsm():
    """A fresh state machine, whose store is checked against every invariant when the test is over."""
    fsm = Fsm()
    yield fsm
    assert list(check(fsm.kv)) == []


@pytest.fixture
def clock(fsm):
    return fsm.clock
