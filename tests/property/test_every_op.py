"""Random histories of every op there is: the state machine against the model (tests/model).

Each entry goes through encode -> decode -> apply on LevelDB, and after each one the store is compared with
the model, document by document. A follower on a LevelDB of its own gets the log alone, lags and restarts;
in the end its store has the same bytes, every invariant holds, and the mirror equals the store.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.ops.base import BY_NUMBER
from tests.model.drawing import Drawing
from tests.model.history import WRITERS, run, tight_limits
from tests.model.standing import Model

#: Not written by itself, but around other ops.
AROUND = {"Once"}
OPS = {op.__name__ for op in BY_NUMBER.values()}


@pytest.fixture(scope="module", autouse=True)
def limits():
    with tight_limits():
        yield


@pytest.mark.timeout(3_600)  # For whoever hunts with thousands of examples.
@given(seed=st.integers(0, 1 << 32))
def test_the_state_machine_does_what_the_model_says(seed):
    run(seed, steps=120)


def test_every_op_is_drawn_and_modelled():
    assert {name for _, names in WRITERS for name in names} | AROUND == OPS
    assert {name for name in OPS if hasattr(Drawing, name)} == OPS
    assert {name for name in OPS if hasattr(Model, name)} == OPS - AROUND
