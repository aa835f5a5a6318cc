"""`corvo audit`: who changed what, found, followed and exported."""

import json

import pytest

pytestmark = pytest.mark.slow


def paths(records):
    return [record["path"] for record in records]


def test_changes_are_listed_and_found(cli, queue):
    cli("pause", queue, "--create")
    cli("resume", queue)
    heading, newest, older = cli("audit", "--path", f"/api/v1/queues/{queue}", COLUMNS="200").lines
    assert heading.split()[:2] == ["TIME", "PRINCIPAL"]
    assert (f"/queues/{queue}/resume" in newest, f"/queues/{queue}/pause" in older) == (True, True)
    assert "anonymous" in newest

    found = cli("audit", "--path", f"/api/v1/queues/{queue}", "-n", "1", "-o", "json").json
    assert paths(found) == [f"/api/v1/queues/{queue}/resume"]
    assert cli("audit", "--principal", "key:nobody", "-o", "jsonl").jsonl == []
    assert len(cli("audit", "--since", "1h", "--path", f"/api/v1/queues/{queue}", "-o", "jsonl").jsonl) == 2
    assert cli("audit", "--until", "1h", "--path", f"/api/v1/queues/{queue}", "-o", "jsonl").jsonl == []


def test_everything_is_exported(cli, queue):
    for _ in range(3):
        cli("pause", queue, "--create")
    exported = cli("audit", "--export", "--path", f"/api/v1/queues/{queue}").jsonl
    assert paths(exported) == [f"/api/v1/queues/{queue}/pause"] * 3


def test_what_happens_is_followed(cli, queue):
    cli("pause", queue, "--create")
    followed = cli.start("audit", "-f", "--path", f"/api/v1/queues/{queue}", "-o", "json")
    try:
        assert json.loads(followed.stdout.readline())["path"].endswith("/pause")
        cli("resume", queue)
        assert json.loads(followed.stdout.readline())["path"].endswith("/resume")
    finally:
        followed.kill()
        followed.communicate()


def test_a_history_shows_who_it_was(cli, node, queue):
    """Nobody in particular, on a node without keys."""
    job_id = node.enqueue(queue)
    cli("cancel", job_id)
    assert "by=" not in cli("history", job_id).out


@pytest.mark.parametrize("words", [["-f", "--export"], ["-f", "--until", "1h"], ["--since", "yesterday"]])
def test_what_makes_no_sense_is_refused(cli, words):
    assert cli("audit", *words, code=2).err
