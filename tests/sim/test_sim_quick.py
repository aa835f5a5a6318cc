"""A few seeds for every run of the tests; test_sim_slow.py has the many."""

import os
import subprocess
import sys

import pytest

from tests.sim import run as sim_run
from tests.sim.run import run


@pytest.mark.parametrize(("seed", "nodes"), [(0, 1), (1, 3), (2, 3), (3, 3), (6, 5), (7, 5)])
def test_a_cluster_survives_this_seed(seed, nodes):
    outcome = run(seed, nodes=nodes, seconds=12)
    assert not outcome.violations, outcome.report()
    assert outcome.counts["committed tickets"] > 0


_TELL = "from tests.sim.run import run; print(run({seed}, seconds=5, spares={spares}, trace_lines=400).trace)"


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "spares"), [(11, 0), (12, 3), (110, 3)])
def test_a_seed_tells_the_same_story_in_another_process(seed, spares):
    """One that failed somewhere can be looked at anywhere: nothing depends on how Python hashes text."""
    stories = [
        subprocess.run(
            [sys.executable, "-c", _TELL.format(seed=seed, spares=spares)],
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "2")
    ]
    assert stories[0] == stories[1] != ""


def test_a_violation_is_reported_with_the_command_that_tells_it_again(monkeypatch):
    monkeypatch.setattr(sim_run, "_faults", lambda world: iter(["nothing is right"]))
    report = run(7, nodes=1, seconds=1, spares=2).report()
    assert "nothing is right" in report
    assert report.endswith("Again: python -m tests.sim --seeds 7 --secs 1 --nodes 1 --spares 2")


def test_a_seed_always_tells_the_same_story():
    first, second = run(11, seconds=5), run(11, seconds=5)
    assert first.trace == second.trace
    assert first.counts == second.counts
