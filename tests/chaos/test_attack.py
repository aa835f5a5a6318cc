"""The short form of `make attack`: every attack for a moment, and the node lives and serves through it."""

import pytest

from chaos.attack.__main__ import EDGES, one
from chaos.attack.attacks import ATTACKS

pytestmark = pytest.mark.slow

#: A quiet node takes less than 100 MB, and each of two budgets 128 MB.
_MEMORY_MB_MAX = 700
#: Those that are worth their time on every edge; on the default one, all are.
_EVERYWHERE = ("rapid-resets", "idle-connections", "half-sent-bodies")


@pytest.mark.parametrize(
    ("edge", "name"),
    [(edge, name) for edge in EDGES for name in ATTACKS if edge == "hypercorn" or name in _EVERYWHERE],
)
def test_a_node_under_attack_serves_others(tmp_path, edge, name):
    row = one(edge, name, 1.0, tmp_path)
    assert row.survived
    assert row.requests > 0, row
    assert row.errors == 0, row
    assert row.memory_mb < _MEMORY_MB_MAX, row


def test_every_attack_is_one():
    assert len(ATTACKS) >= 15
