"""Seeds that once failed, and what they had found. They no longer meet quite the same story, but stay."""

import pytest

from tests.sim.run import run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "seconds", "found"),
    [
        (38, 40, "the lost end of one segment beside a sound next one was taken for rot"),
        (3225, 30, "a leader cut its log in front of a follower that had just taken a snapshot, for ever"),
        (3345, 30, "the same, with the backlog of two terms"),
        (5281, 30, "a snapshot that arrived on a full disk after a repaired tail stopped the node"),
    ],
)
def test_what_was_found_stays_fixed(seed, seconds, found):
    outcome = run(seed, seconds=seconds)
    assert not outcome.violations, f"{found}\n{outcome.report()}"


@pytest.mark.parametrize("seed", [615, 847, 1072])
def test_one_dismissed_during_a_snapshot_and_taken_in_again_gets_it(seed):
    """A leader that had the only vote no longer heard its answers, and the transfer stood still for ever."""
    outcome = run(seed, nodes=1, seconds=10, spares=3)
    assert not outcome.violations, outcome.report()


def test_a_log_that_is_not_decided_swamps_nobody():
    """A follower took no more entries before it had stored those it had, which only the next ones could
    commit: cluster of two, a backlog larger than the log may grow, a new term."""
    outcome = run(2304, nodes=3, seconds=10, spares=3)
    assert not outcome.violations, outcome.report()


@pytest.mark.parametrize(("seed", "nodes"), [(4045, 1), (4661, 3)])
def test_one_that_is_being_dismissed_does_not_stand_in_the_way_of_an_election(seed, nodes):
    """Only it had the entry that dismissed it, for the leader lost power: it could neither lead nor vote."""
    outcome = run(seed, nodes=nodes, seconds=12, spares=3)
    assert not outcome.violations, outcome.report()
