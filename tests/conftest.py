"""Fixtures that every folder of tests may use."""

import os
import signal

import pytest
from hypothesis import settings

from corvo.observe.event_loop import loop_factory
from corvo.storage.invariants import check
from tests.support.fsm import Fsm

# A script that starts the tests in the background has them, and each process they start, ignore Ctrl-C; the
# tests of what Ctrl-C does would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# `make test` asks for more examples than the quick suite; a bug hunt may ask for any number. Only a hunt
# takes other ones every time: a change lands or not by what it does, not by what chance tried this time.
EXAMPLES = int(os.environ.get("EXAMPLES", "25"))
settings.register_profile(
    "corvo", deadline=None, max_examples=EXAMPLES, print_blob=True, derandomize="HUNT" not in os.environ
)
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


# `CORVO_TEST_LOOP=uvloop pytest ...` runs the same tests on uvloop.
if os.environ.get("CORVO_TEST_LOOP"):

    def pytest_asyncio_loop_factories(config, item):
        return {os.environ["CORVO_TEST_LOOP"]: loop_factory(os.environ["CORVO_TEST_LOOP"])}
