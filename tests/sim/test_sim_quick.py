"""A few seeds for every run of the tests; test_sim_slow.py has the many."""

import pytest

from tests.sim.run import run


@pytest.mark.parametrize(("seed", "nodes"), [(0, 1), (1, 3), (2, 3), (3, 3), (6, 5), (7, 5)])
def test_a_cluster_survives_this_seed(seed, nodes):
    outcome = run(seed, nodes=nodes, seconds=12)
    assert not outcome.violations, outcome.report()
    assert outcome.counts["committed tickets"] > 0


def test_a_seed_always_tells_the_same_story():
    first, second = run(11, seconds=5), run(11, seconds=5)
    assert first.trace == second.trace
    assert first.counts == second.counts
