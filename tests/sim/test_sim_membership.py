"""Members come and go while nodes are killed, cut off and lose power."""

import pytest

from tests.sim.run import run

SEEDS_PER_CHUNK = 10


@pytest.mark.parametrize(("seed", "nodes"), [(1, 1), (2, 3), (3, 3)])
def test_a_changing_cluster_survives_this_seed(seed, nodes):
    outcome = run(seed, nodes=nodes, seconds=10, spares=3)
    assert not outcome.violations, outcome.report()
    assert outcome.counts["rosters"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 3])
@pytest.mark.parametrize("chunk", range(3))
def test_a_changing_cluster_survives_these_seeds(chunk, nodes):
    admissions = 0
    for seed in range(chunk * SEEDS_PER_CHUNK, (chunk + 1) * SEEDS_PER_CHUNK):
        outcome = run(seed + 100 * nodes, nodes=nodes, seconds=15, spares=3)
        assert not outcome.violations, outcome.report()
        admissions += outcome.counts["admissions"]
    assert admissions > SEEDS_PER_CHUNK
