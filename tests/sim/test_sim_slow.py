"""A thousand seeds: kill -9, power cuts, partitions, pauses, bad disks, and members who come and go.

Short runs of many seeds find more than long runs of few: each has its own temper. test_sim_can_fail.py shows
that runs of this length find what they are there for.
"""

from collections import Counter

import pytest

from tests.sim.run import run

SECONDS = 10
SEEDS_PER_CHUNK = 20


def survive(chunk, **settings):
    """Live through the seeds of one chunk; how often what happened."""
    counts = Counter()
    for seed in range(chunk * SEEDS_PER_CHUNK, (chunk + 1) * SEEDS_PER_CHUNK):
        outcome = run(seed, seconds=SECONDS, **settings)
        assert not outcome.violations, outcome.report()
        counts.update(outcome.counts)
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(19))
def test_three_nodes_survive_these_seeds(chunk):
    counts = survive(chunk, nodes=3)
    assert counts["snapshots_sent"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(12))
def test_five_nodes_survive_these_seeds(chunk):
    counts = survive(chunk, nodes=5)
    assert counts["snapshots_sent"] > 0


@pytest.mark.slow
def test_among_them_are_seeds_that_cut_a_snapshot_off_and_see_it_go_on():
    assert any(run(seed, seconds=SECONDS, nodes=5).counts["snapshots_resumed"] for seed in range(100))


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(2))
def test_a_node_alone_survives_these_seeds(chunk):
    survive(chunk, nodes=1)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(2))
def test_without_syncs_a_killed_process_still_loses_nothing(chunk):
    survive(chunk, sync="never")


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 3])
@pytest.mark.parametrize("chunk", range(6))
def test_a_changing_cluster_survives_these_seeds(chunk, nodes):
    counts = survive(chunk, nodes=nodes, spares=3)
    assert counts["admissions"] > SEEDS_PER_CHUNK


@pytest.mark.slow
@pytest.mark.parametrize("spares", [0, 3])
@pytest.mark.parametrize("chunk", range(2))
def test_leaders_who_hand_over_meanwhile_survive_these_seeds(chunk, spares):
    counts = survive(chunk, nodes=3, spares=spares, heirs=True)
    assert counts["handovers"] > SEEDS_PER_CHUNK
