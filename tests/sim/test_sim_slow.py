"""Two hundred seeds: kill -9, power cuts, partitions, pauses, slow, full and failing disks."""

import pytest

from tests.sim.run import run

SEEDS_PER_CHUNK = 10


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [3, 5])
@pytest.mark.parametrize("chunk", range(10))
def test_a_cluster_survives_these_seeds(chunk, nodes):
    for seed in range(chunk * SEEDS_PER_CHUNK, (chunk + 1) * SEEDS_PER_CHUNK):
        outcome = run(seed + 100 * nodes, nodes=nodes, seconds=20)
        assert not outcome.violations, outcome.report()


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(2))
def test_a_node_alone_survives_these_seeds(chunk):
    for seed in range(chunk * SEEDS_PER_CHUNK, (chunk + 1) * SEEDS_PER_CHUNK):
        outcome = run(seed, nodes=1, seconds=20)
        assert not outcome.violations, outcome.report()


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(2))
def test_without_syncs_a_killed_process_still_loses_nothing(chunk):
    for seed in range(chunk * SEEDS_PER_CHUNK, (chunk + 1) * SEEDS_PER_CHUNK):
        outcome = run(seed, sync="never", seconds=20)
        assert not outcome.violations, outcome.report()
