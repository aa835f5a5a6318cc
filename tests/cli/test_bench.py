"""`corvo bench`: measures, and notices what was lost."""

import signal
import time

import pytest

from corvo.cli.bench_load import Figures, Plan
from corvo.cli.bench_report import summary, violations

QUEUE = dict.fromkeys(("pending", "active", "retrying", "scheduled", "held", "dead"), 0)


def figures(accepted, acked, skipped=0):
    found = Figures()
    found.accepted, found.acked, found.skipped = accepted, acked, skipped
    return found


@pytest.mark.parametrize(
    ("measured", "completed", "words"),
    [
        (figures(["a", "b"], ["a", "b"]), 2, None),
        (figures(["a", "b"], ["a"]), 1, "1 accepted jobs were never completed, b among them"),
        (figures(["a", "b"], ["a", "b", "b"]), 3, "committed twice"),
        (figures(["a", "b"], ["a", "b"]), 1, "the queue knows of 1"),
        (figures(["a"], ["a"], skipped=1), 1, "1 acks of fresh leases"),
    ],
)
def test_what_is_lost_or_done_twice_is_noticed(measured, completed, words):
    found = list(violations(measured, QUEUE | {"completed": completed}, worked=True))
    if words is None:
        assert found == []
    else:
        assert any(words in sentence for sentence in found), found


def test_a_queue_that_is_gone_is_noticed():
    assert list(violations(figures([], []), None, worked=True)) == ["the queue is gone"]


def test_rates_are_of_the_jobs_of_each_phase():
    measured = figures(["a"] * 10, ["a"] * 6)
    measured.seconds = {"enqueue": 2.0, "lifecycle": 3.0}
    measured.latencies_ms["ack"] = [1.0, 2.0, 3.0, 100.0]
    found = summary("lifecycle", Plan("q", 10, 1, 1, 1, 1, 0), measured)
    assert found["rates"] == {"enqueue": 5.0, "lifecycle": 2.0}
    assert found["requests"] == {"ack": {"count": 4, "p50_ms": 3.0, "p90_ms": 100.0, "p99_ms": 100.0}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "flags"),
    [
        ("enqueue", ()),
        ("lifecycle", ("--fetch-batch-size", "1", "--enqueue-batch-size", "1", "--jobs", "60")),
        ("mixed", ()),
        ("latency", ("--jobs", "20")),
    ],
)
def test_every_mode_measures_and_leaves_nothing_behind(cli, node, tmp_path, mode, flags):
    file = tmp_path / "figures.json"
    ran = cli("bench", "--mode", mode, "--jobs", "500", *flags, "--queue", mode, "--save", file)
    assert "nothing was lost" in ran.out
    assert [q["name"] for q in node.call("GET", "/queues") if q["name"].startswith(mode)] == []
    assert '"violations": []' in file.read_text()


@pytest.mark.slow
def test_an_interrupted_run_leaves_nothing_behind(cli, node):
    process = cli.start("bench", "--mode", "mixed", "--jobs", "1000000", "--queue", "cut")

    def mine():
        return [q for q in node.call("GET", "/queues") if q["name"].startswith("cut.")]

    for _ in range(600):
        if mine() and mine()[0]["completed"]:
            break
        time.sleep(0.1)
    assert mine()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert mine() == []
