"""Finding jobs and acting on what was found, with real pipes."""

import json

import pytest

pytestmark = pytest.mark.slow


def test_search_reads_the_query_language(cli, node, queue):
    dead = node.dead(queue, 2, error="SMTP timed out")
    node.dead(queue, error="disk full")
    waiting = node.enqueue(queue, payload={"user": {"plan": "pro"}, "amount": 120})
    ran = cli(
        "search", f'queue:{queue} state:dead error~"timed out"', "sort:created_at", "order:asc", "-o", "id"
    )
    assert ran.lines == dead
    ran = cli("search", f"queue:{queue}", 'payload.user.plan == "pro"', "payload.amount>100", "-o", "json")
    assert [job["id"] for job in ran.json] == [waiting]
    heading, row = cli("search", f"queue:{queue} state:pending").lines
    assert heading.split()[:3] == ["ID", "QUEUE", "STATE"]
    assert row.startswith(waiting)


def test_search_takes_flags_as_well(cli, node, queue):
    node.dead(queue, 1, error="SMTP timed out")
    job_id = node.enqueue(queue, payload={"amount": 5}, tags={"tenant": "acme"})
    flags = (
        "--queue",
        queue,
        "--tag",
        "tenant=acme",
        "--state",
        "pending,held",
        "--payload-jq",
        ".amount < 9",
    )
    assert cli("search", *flags, "--created-after", "-1h", "-o", "id").lines == [job_id]
    assert cli("search", "--queue", queue, "--error-contains", "smtp", "--count").out == "1\n"
    assert cli("search", "--queue", queue, "--created-before", "2020-01-01", "-o", "json").json == []
    assert "both" in cli("search", f"queue:{queue}", "--queue", queue, code=2).err


def test_a_query_that_cannot_be_read_is_pointed_at(cli):
    ran = cli("search", "queue:emails state:dying", code=2)
    words, query, pointer = ran.err.splitlines()[:3]
    assert words.startswith("Error: state is one of")
    assert query[pointer.index("^") :] == "dying"


def test_pages_are_turned_until_there_are_enough(cli, node, queue):
    node.call(
        "POST", "/enqueue/batch", {"jobs": [{"queue": queue, "payload": {"n": n}} for n in range(1_100)]}
    )
    first = cli("search", f"queue:{queue}", "-o", "id")
    assert len(first.lines) == 50
    assert "50 of 1100 jobs" in first.err
    everything = cli("search", f"queue:{queue}", "--all", "-o", "jsonl")
    assert {job["payload"]["n"] for job in everything.jsonl} == set(range(1_100))
    assert len(cli("search", f"queue:{queue} limit:7", "-q", "-o", "id").lines) == 7
    assert len(cli("search", f"queue:{queue}", "--limit", "1050", "-o", "id").lines) == 1_050


def test_what_a_search_finds_goes_into_a_bulk_action(cli, node, queue):
    dead = node.dead(queue, 3)
    ran = cli.shell(f"corvo search 'queue:{queue} state:dead' -o json | corvo bulk retry")
    assert ran.code == 0, ran
    assert ran.out.startswith("retry: 3 jobs")
    assert {node.state(job_id) for job_id in dead} == {"pending"}
    # The table that people see works just as well in a pipe.
    moved = cli.shell(f"corvo search queue:{queue} | corvo bulk move {queue}-b -o json")
    assert json.loads(moved.out)["affected"] == 3
    assert node.call("GET", f"/queues/{queue}-b")["pending"] == 3


def test_a_dry_run_shows_and_changes_nothing(cli, node, queue):
    dead = node.dead(queue, 2)
    ran = cli("bulk", "delete", "--query", f"queue:{queue} state:dead", "--dry-run")
    assert ran.lines[0] == "delete would look at 2 jobs: 2 dead"
    assert ran.lines[2].startswith("job_")
    preview = cli("bulk", "retry", "--dry-run", "-o", "json", stdin="\n".join(dead)).json
    assert (preview["count"], preview["by_state"]) == (2, {"dead": 2})
    assert {node.state(job_id) for job_id in dead} == {"dead"}


def test_bulk_asks_before_it_destroys(cli, node, queue):
    node.dead(queue, 2)
    filter_ = json.dumps({"queue": queue, "state": ["dead"]})
    assert "delete 2 jobs" in cli("bulk", "delete", "--filter", filter_, code=2).err
    assert cli("bulk", "delete", "--filter", filter_, "--yes", "-o", "id").out == "2\n"


def test_bulk_in_the_background_is_followed_to_its_end(cli, node, queue):
    dead = node.dead(queue, 4)
    ran = cli("bulk", "retry", "--query", f"queue:{queue} state:dead", "--rate", "100", "-o", "json")
    assert (ran.json["status"], ran.json["affected"]) == ("completed", 4)
    assert {node.state(job_id) for job_id in dead} == {"pending"}
    queued = cli("bulk", "cancel", "--query", f"queue:{queue}", "--detach", "-y", "-o", "id").out.strip()
    assert queued in cli("bulk", "list", "-o", "id").lines
    assert cli("bulk", "show", queued, "-o", "json").json["action"] == "cancel"


def test_jobs_left_alone_show_in_the_exit_code(cli, node, queue):
    waiting, dead = node.enqueue(queue), node.dead(f"{queue}-b")[0]
    ran = cli("bulk", "retry", stdin=f"{waiting}\n{dead}\n", code=8)
    assert "1 job in" in ran.out
    assert "1 left alone" in ran.out
    assert waiting in ran.err
    assert cli("bulk", "approve", stdin=waiting, code=1)


def test_a_filter_that_the_server_does_not_know_is_refused(cli, node, queue):
    job_id = node.enqueue(queue)
    ran = cli("bulk", "delete", "--filter", json.dumps({"quue": queue}), "--yes", code=1)
    assert "unknown member filter.quue; did you mean queue?" in ran.err
    assert node.state(job_id) == "pending"


@pytest.mark.parametrize(
    "words",
    [
        ("move",),
        ("retry", "job_1"),
        ("retry", "--query", ""),
        ("retry", "--query", "state:dead limit:5"),
        ("retry", "--query", "state:dead", "--filter", "{}"),
        ("retry", "--filter", "[]"),
        ("explode", "--query", "state:dead"),
    ],
)
def test_bulk_refuses_what_makes_no_sense(nowhere, words):
    assert nowhere("bulk", *words, code=2).out == ""
