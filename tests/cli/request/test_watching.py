"""Status, workers, cluster, events, checks, seed: the commands that watch."""

import json
import os
import select
import signal

import pytest

pytestmark = pytest.mark.slow


def read_lines(process, count, seconds=60, of="stdout"):
    """The next lines of a process that goes on."""
    file = getattr(process, of).fileno()
    text = b""
    while text.count(b"\n") < count:
        ready, _, _ = select.select([file], [], [], seconds)
        assert ready, text
        # A byte at a time: what comes after the last line is for the next call.
        text += os.read(file, 1)
    return text.decode().splitlines()


def test_status_shows_server_and_queues(cli, node, queue):
    node.enqueue(queue)
    lines = cli("status").lines
    assert lines[0].startswith("cluster healthy, 1 node, led by ")
    assert any(line.startswith(queue) for line in lines)
    found = cli("status", "-o", "json").json
    assert found["cluster"]["status"] == "healthy"
    assert queue in {row["name"] for row in found["queues"]}
    assert "applied" in cli("cluster", "status").out
    assert cli("cluster", "status", "-o", "id").out == found["cluster"]["node_id"] + "\n"


def test_workers_are_listed(cli, node, queue):
    node.enqueue(queue)
    node.fetch(queue)
    heading, *rows = cli("workers").lines
    assert heading.split()[:2] == ["ID", "HOSTNAME"]
    assert "w1" in [row.split()[0] for row in rows]
    assert "w1" in cli("workers", "-o", "id").lines


def test_watching_prints_again_until_it_is_interrupted(cli, node, queue):
    node.enqueue(queue)
    process = cli.start("queues", "-o", "jsonl", "--watch", "--interval", "100ms")
    count = len(node.call("GET", "/queues"))
    lines = read_lines(process, 3 * count)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert [json.loads(line)["name"] for line in lines[:count]] == [
        json.loads(line)["name"] for line in lines[-count:]
    ]


def test_events_show_the_last_ones_or_those_after_a_number(cli, node, queue):
    job_id = node.enqueue(queue)
    node.ack(node.fetch(queue))
    last = cli("events", "-n", "3", "-o", "json").json
    assert [event["type"] for event in last] == ["enqueued", "started", "completed"]
    later = cli("events", "--since", last[0]["seq"], "--job", job_id, "--type", "completed", "-o", "id")
    assert later.lines == [str(last[2]["seq"])]


def test_the_last_events_of_one_job_are_found_behind_many_others(cli, node, queue):
    job_id = node.enqueue(queue)
    node.ack(node.fetch(queue))
    node.call("POST", "/enqueue/batch", {"jobs": [{"queue": f"{queue}-other"}] * 2_500})
    found = cli("events", "--job", job_id, "-o", "json").json
    assert [event["type"] for event in found] == ["enqueued", "started", "completed"]
    assert cli("events", "--job", job_id, "-n", "1", "-o", "json").json == found[-1:]
    assert len(cli("events", "--queue", f"{queue}-other", "-n", "1500", "-o", "id").lines) == 1_500


def test_events_are_followed_as_they_happen(cli, node, queue):
    since = node.call("GET", "/cluster/events?limit=1")["last_seq"]
    process = cli.start(
        "events", "-f", "--queue", queue, "--type", "enqueued", "-o", "json", "--since", since
    )
    ids = [node.enqueue(queue) for _ in range(3)]
    events = [json.loads(line) for line in read_lines(process, 3)]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert [event["job_id"] for event in events] == ids


def test_events_of_a_queue_with_a_comma_in_its_name_are_followed(cli, node, queue):
    process = cli.start("events", "-f", "--queue", f"{queue},x", "-o", "jsonl", "--since", "0")
    for name in (queue, "x", f"{queue},x"):
        node.enqueue(name)
    (line,) = read_lines(process, 1)
    process.kill()
    process.communicate(timeout=30)
    assert json.loads(line)["queue"] == f"{queue},x"


def test_checks_speak_the_language_of_monitoring(cli, nowhere, node, queue):
    node.enqueue(queue)
    assert cli("check", "ready").out.startswith("OK: ok, healthy")
    assert cli("check", "backlog", "--queue", queue, "--warn", "1", code=1).out.startswith("WARNING: 1 job ")
    assert cli("check", "backlog", "--queue", queue, "--warn", "1", "--crit", "1", code=2)
    assert cli("check", "lag", "--queue", queue, "--warn", "1ms", code=1).out.startswith("WARNING")
    assert nowhere("check", "ready", code=2).out.startswith("CRITICAL: no answer")
    assert nowhere("check", "backlog", code=3).out.startswith("UNKNOWN")


@pytest.mark.parametrize("words", [("backlog",), ("lag",), ("lag", "--crit", "0s")], ids=" ".join)
def test_a_check_of_a_queue_that_is_not_there_is_unknown(cli, node, queue, words):
    node.enqueue(queue)
    ran = cli("check", *words, "--queue", f"{queue}x", code=3)
    assert ran.out == f"UNKNOWN: there is no queue '{queue}x'; `corvo queues` lists them\n"
    assert ran.err == ""


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--nope",),
        ("redy",),
        ("ready", "--nope"),
        ("ready", "extra"),
        ("backlog", "--warn", "many"),
        ("lag", "--crit", "soon"),
        ("ready", "--server", "ftp://x"),
        ("ready", "--profile", "nope"),
        ("backlog", "--api-key-file", "/nonexistent"),
    ],
    ids=" ".join,
)
def test_a_check_that_makes_no_sense_is_unknown_and_not_critical(nowhere, words):
    ran = nowhere("check", *words, code=3)
    assert ran.out == ""
    assert ran.err


def test_help_about_checks_is_no_answer_of_one(nowhere):
    assert "Usage: " in nowhere("check", "ready", "--help").out


def test_no_more_seeded_jobs_are_active_than_their_queue_allows(cli, node):
    cli("seed", "demo", "--count", "112", "--fixed", "--prefix", "many.")
    limited = [queue for queue in node.call("GET", "/queues") if queue["name"] == "many.images"]
    assert [queue["active"] <= queue["max_concurrency"] for queue in limited] == [True]


def test_seeded_jobs_are_in_every_state(cli, node):
    assert (
        cli("seed", "demo", "--count", "32", "--fixed", "--prefix", "seed.").out
        == "38 jobs in queues seed.*\n"
    )
    queues = [queue for queue in node.call("GET", "/queues") if queue["name"].startswith("seed.")]
    states = ("pending", "active", "held", "completed", "dead", "scheduled", "retrying", "cancelled")
    assert {state: sum(queue[state] for queue in queues) > 0 for state in states} == dict.fromkeys(
        states, True
    )
    assert sum(queue["enqueued"] for queue in queues) == 38


def test_an_event_type_that_nobody_knows_is_refused_with_and_without_following(cli):
    for flags in ((), ("-f",)):
        ran = cli("events", *flags, "--type", "nope", code=2)
        assert "'nope' is not one of 'enqueued'" in ran.err
