"""`corvo bench`: measures, and notices what was lost."""

import json
import signal
import time

import hpack
import pytest

from corvo.cli.bench.figures import BenchFigures
from corvo.cli.bench.http2_heads import CannedHead, status_of
from corvo.cli.bench.link import BenchAddress
from corvo.cli.bench.plan import BenchPlan
from corvo.cli.bench.report import lines, summary, violations
from corvo.cli.request.client import Target
from tests.cli.terminal import Terminal

QUEUE = dict.fromkeys(("pending", "active", "retrying", "scheduled", "held", "dead"), 0)


def figures(accepted, acked, skipped=0):
    found = BenchFigures()
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
        (figures(["a"], ["a", "x"]), 2, "never accepted, x among them"),
    ],
)
def test_what_is_lost_or_done_twice_is_noticed(measured, completed, words):
    found = list(violations(measured, [QUEUE | {"completed": completed}], worked=True))
    if words is None:
        assert found == []
    else:
        assert any(words in sentence for sentence in found), found


def test_a_queue_that_is_gone_is_noticed():
    assert list(violations(figures([], []), [None], worked=True)) == ["the queue is gone"]


def test_a_job_that_is_left_over_is_noticed():
    left = [QUEUE | {"completed": 1}, QUEUE | {"completed": 0, "dead": 1}]
    assert list(violations(figures(["a"], ["a"]), left, worked=True)) == ["1 job left over"]


def measured(ack_ms=100.0):
    found = figures(["a"] * 10, ["a"] * 6)
    found.phases = {"enqueue": (10, 2.0), "lifecycle": (6, 3.0)}
    found.latencies_ms["ack"] = [1.0, 2.0, 3.0, ack_ms]
    plan = BenchPlan("lifecycle", "batch", ("q",), 10, None, 1, 1, 1, 1, 0)
    return summary(plan, found) | {"generator_cpu": 0.1, "server": None}


def test_rates_are_of_the_jobs_of_each_phase():
    found = measured()
    assert found["rates"] == {"enqueue": 5.0, "lifecycle": 2.0}
    quantiles = {"count": 4, "p50_ms": 3.0, "p90_ms": 100.0, "p99_ms": 100.0, "max_ms": 100.0}
    assert found["requests"] == {"ack": quantiles}


def test_a_comparison_shows_ratios():
    text = "\n".join(lines(measured(ack_ms=50.0), measured() | {"rates": {"enqueue": 2.5}}))
    assert "2.00x jobs/s" in text  # 5 against 2.5
    assert "1.00x     0.50x     0.50x     0.50x" in text


def test_a_generator_without_a_processor_left_is_not_blamed_on_the_server():
    assert "no processor left" in "\n".join(lines(measured() | {"generator_cpu": 0.97}, None))
    assert "no processor left" not in "\n".join(lines(measured(), None))


@pytest.mark.parametrize("huffman", [True, False])
def test_statuses_of_http2_are_read_as_hpack_writes_them(huffman):
    for status in (200, 201, 204, 301, 400, 404, 409, 429, 500, 503, 567, 999):
        encoder = hpack.Encoder()
        encoder.header_table_size = 0
        block = encoder.encode([(":status", str(status)), ("content-type", "application/json")], huffman)
        assert status_of(block) == status


def test_heads_of_http2_are_what_hpack_reads():
    address = BenchAddress(Target("http://corvo.example:81/under", api_key="k" * 300, namespace="n"))
    head = hpack.Decoder().decode(CannedHead(address).of(b"/api/v1/fetch"))
    assert head[:4] == [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "corvo.example:81"),
        (":path", "/under/api/v1/fetch"),
    ]
    assert ("x-api-key", "k" * 300) in head


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "flags"),
    [
        ("enqueue", ("--queues", "3")),
        ("lifecycle", ("--way", "single", "--jobs", "60")),
        ("lifecycle", ("--way", "stream", "--http", "2", "--queues", "2")),
        # Bodies and answers beyond every window of HTTP/2.
        ("lifecycle", ("--http", "2", "--jobs", "60", "--payload-size", "100000", "--connections", "1")),
        ("mixed", ("--way", "stream")),
        ("mixed", ("--way", "single", "--http", "2", "--jobs", "60")),
        ("latency", ("--jobs", "20", "--way", "stream")),
    ],
)
def test_every_mode_measures_and_leaves_nothing_behind(cli, node, tmp_path, mode, flags):
    file = tmp_path / "figures.json"
    ran = cli("bench", "--mode", mode, "--jobs", "500", *flags, "--queue", mode, "--save", file)
    assert "nothing was lost" in ran.out
    assert [q["name"] for q in node.call("GET", "/queues") if q["name"].startswith(mode)] == []
    found = json.loads(file.read_text())
    assert found["violations"] == []
    assert found["accepted"] >= found["jobs"] > 0
    assert found["completed"] == (0 if mode == "enqueue" else found["accepted"])
    assert found["server"]["memory_mb"] > 10


@pytest.mark.slow
def test_a_run_by_time_ends_and_can_be_compared(cli, tmp_path):
    file = tmp_path / "figures.json"
    cli("bench", "--mode", "mixed", "--way", "stream", "--duration", "1s", "--save", file)
    ran = cli("bench", "--mode", "mixed", "--way", "stream", "--duration", "1s", "--compare", file)
    assert "before    ratio" in ran.out
    assert "to before" in ran.out


def test_what_makes_no_sense_is_refused(cli, tmp_path):
    assert "exclude each other" in cli("bench", "--jobs", "1", "--duration", "1s", code=2).err
    file = tmp_path / "other.json"
    file.write_text("{}")
    assert "corvo bench --save" in cli("bench", "--compare", file, code=2).err


def test_no_server_is_said_so(nowhere):
    assert "Is it running?" in nowhere("bench", code=7).err


@pytest.mark.slow
def test_on_a_terminal_it_shows_how_far_it_is(cli):
    terminal = Terminal(cli.environment, "bench", "--mode", "mixed", "--duration", "60s")
    try:
        terminal.until("bench: mixed, ", " jobs, ", "/s")
        terminal.send("\x03")
        assert terminal.ended() == 130
    finally:
        terminal.process.close(force=True)


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
