"""Queues listed, paused, drained, limited and removed by the command line."""

import threading

import pytest

pytestmark = pytest.mark.slow


def test_queues_are_listed_in_every_form(cli, node, queue):
    node.enqueue(queue)
    node.dead(f"{queue}-b")
    heading, *rows = cli("queues").lines
    assert heading.split()[:4] == ["QUEUE", "PENDING", "ACTIVE", "HELD"]
    row = next(line for line in rows if line.startswith(f"{queue} "))
    assert row.split()[:3] == [queue, "1", "0"]
    listed = cli("queues", "-o", "json").json
    assert {q["name"]: q["dead"] for q in listed if q["name"].startswith(queue)} == {
        queue: 0,
        f"{queue}-b": 1,
    }
    assert {queue, f"{queue}-b"} <= set(cli("queues", "list", "-o", "id").lines)
    assert cli("queues", "-o", "jsonl").jsonl == listed
    assert cli("queues", "-o", "none").out == ""
    assert "pending        1" in cli("queues", "show", queue).out


def test_pause_and_resume_several_at_once(cli, node, queue):
    node.enqueue(queue)
    node.enqueue(f"{queue}-b")
    ran = cli("pause", queue, f"{queue}-b")
    assert ran.lines == [f"{queue} paused", f"{queue}-b paused"]
    assert node.call("GET", f"/queues/{queue}")["paused"] is True
    assert cli("queues", "resume", queue, "-o", "json").json == {"name": queue, "status": "resumed"}


def test_a_mistyped_name_makes_no_queue(cli, node, queue):
    node.enqueue(queue)
    typo = f"{queue}x"
    for command in (("pause",), ("resume",), ("drain",), ("limit", "3"), ("throttle", "0")):
        ran = cli(command[0], typo, *command[1:], code=5)
        assert f"queue {typo} does not exist" in ran.err
        assert f"Did you mean {queue}?" in ran.err
    assert cli("drain", typo, "--wait", code=5).out == ""
    assert typo not in cli("queues", "-o", "id").lines
    assert cli("pause", typo, "--create").out == f"{typo} paused\n"
    assert cli("limit", f"{typo}2", "3", "--create").out == f"{typo}2 limited to 3 active jobs\n"


def test_limits_are_set_and_removed(cli, node, queue):
    node.enqueue(queue)
    cli("limit", queue, "3")
    cli("throttle", queue, "100", "1m")
    found = node.call("GET", f"/queues/{queue}")
    assert (found["max_concurrency"], found["rate_limit"], found["rate_window_ms"]) == (3, 100, 60_000)
    assert cli("limit", queue, "0").out == f"{queue} not limited\n"
    assert cli("throttle", queue, "0").out == f"{queue} not throttled\n"
    assert "rate_limit" not in node.call("GET", f"/queues/{queue}")
    assert "not a duration" in cli("throttle", queue, "5", "soon", code=1).err


def test_drain_waits_until_the_last_active_job_is_done(cli, node, queue):
    node.enqueue(queue)
    job = node.fetch(queue)
    late = cli("drain", queue, "--wait", "--wait-timeout", "300ms", code=7)
    assert late.out == f"{queue} draining\n"
    done = threading.Timer(0.5, lambda: node.ack(job))
    done.start()
    assert cli("drain", queue, "--wait").out == f"{queue} drained\n"
    done.join()
    assert node.call("GET", f"/queues/{queue}")["paused"] is True


def test_what_destroys_wants_to_be_told_twice(cli, node, queue):
    node.enqueue(queue)
    node.dead(queue)
    ran = cli("clear", queue, code=2)
    assert "--yes" in ran.err
    assert node.call("GET", f"/queues/{queue}")["pending"] == 1
    assert cli("clear", queue, "--yes").out == f"{queue} cleared, 1 job removed\n"
    assert cli("destroy", queue, code=2).out == ""
    assert cli("destroy", queue, "--confirm").out == f"{queue} deleted, 1 job removed\n"
    assert cli("queues", "show", queue, code=5).out == ""
