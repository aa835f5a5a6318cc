"""Members come and go while nodes are killed, cut off and lose power; test_sim_slow.py has the many seeds."""

import pytest

from tests.sim.run import run


@pytest.mark.parametrize(("seed", "nodes"), [(1, 1), (2, 3), (3, 3)])
def test_a_changing_cluster_survives_this_seed(seed, nodes):
    outcome = run(seed, nodes=nodes, seconds=10, spares=3)
    assert not outcome.violations, outcome.report()
    assert outcome.counts["rosters"] > 0
