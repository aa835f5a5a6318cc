"""Tenants that share a state machine and a mirror, each against a twin in which the others never were: no
answer, event, count, search or error differs (tests/model/tenants.py)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.tenants import run


@pytest.mark.timeout(3_600)  # For whoever hunts with thousands of examples.
@given(seed=st.integers(0, 1 << 32))
def test_a_tenant_sees_and_feels_nothing_of_the_others(seed):
    run(seed, steps=60)
