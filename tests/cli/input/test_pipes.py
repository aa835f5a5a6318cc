"""Ids from one command to the next: also none at all, and also to those that only look."""

import json
import os

import pytest

pytestmark = pytest.mark.slow

TAKERS = [
    ("retry",),
    ("cancel",),
    ("hold",),
    ("approve",),
    ("reject",),
    ("move", "-", "--to", "elsewhere"),
    ("priority", "high"),
    ("delete", "--yes"),
    ("bulk", "retry"),
    ("bulk", "delete", "--yes"),
    ("inspect",),
    ("why",),
    ("history",),
    ("wait",),
]


@pytest.mark.parametrize("words", TAKERS, ids=" ".join)
def test_no_ids_are_nothing_to_do(nowhere, words):
    """Not even a server is needed for that."""
    ran = nowhere(*words, stdin="")
    assert (ran.out, ran.err) == ("", "no ids on stdin: nothing to do\n")
    assert nowhere(*words, "-q", stdin="[]\n").err == ""


def test_a_search_that_finds_nothing_retries_nothing(cli, queue):
    ran = cli.shell(f"corvo search queue:{queue} -o id | corvo retry")
    assert (ran.code, ran.out) == (0, "")
    assert "nothing to do" in ran.err


def test_reasons_of_several_jobs(cli, node, queue):
    waiting = [node.enqueue(queue), node.enqueue(queue)]
    cli("pause", queue)
    ran = cli.shell(f"corvo search queue:{queue} --order asc -o json | corvo why -o jsonl")
    assert [found["id"] for found in ran.jsonl] == waiting
    assert all("paused" in json.dumps(found["reasons"]) for found in ran.jsonl)
    assert cli("why", waiting[0]).lines[0] == f"{waiting[0]} is pending"
    assert cli("why", "-o", "id", stdin=f"{waiting[0]}\njob_none\n", code=8).lines == [waiting[0]]


def test_histories_of_several_jobs(cli, node, queue):
    dead = node.dead(queue, 2)
    ran = cli("history", "-o", "jsonl", stdin="\n".join(dead))
    assert list(dict.fromkeys(event["job_id"] for event in ran.jsonl)) == dead
    assert ran.jsonl[-1]["type"] == "dead"
    assert cli("history", dead[0], "-o", "json").json == [e for e in ran.jsonl if e["job_id"] == dead[0]]


def test_failures_are_grouped_and_a_group_is_retried(cli, node, queue):
    users = [node.dead(queue, error=f"user {n} not found")[0] for n in range(2)]
    (full,) = node.dead(queue, error="disk full")
    heading, *rows = cli("failures", f"queue:{queue}").lines
    assert heading.split()[0] == "JOBS"
    assert [row.split()[0] for row in rows] == ["2", "1"]
    assert rows[0].endswith("user … not found")
    assert cli("failures", "--queue", queue, "-o", "id").lines == ["user … not found", "disk full"]
    assert "at character" in cli("failures", "nonsense:1", code=2).err

    cli("bulk", "retry", "--query", f'queue:{queue} failure:"user … not found"')
    assert [node.state(job_id) for job_id in (*users, full)] == ["pending", "pending", "dead"]
    assert cli("bulk", "retry", "--filter", '{"failure":"disk full"}', "--dry-run", "-o", "json").json[
        "count"
    ]


def test_relatives_are_a_tree(cli, node, queue):
    batch = node.call("POST", "/batch", {"queue": queue, "callback_queue": f"{queue}.done"})["batch_id"]
    child = node.enqueue(queue, batch_id=batch)
    sibling = node.enqueue(queue, batch_id=batch)
    lines = cli("graph", child).lines
    assert f"{child} pending {queue}  <- this one" in lines
    assert [line.strip() for line in lines if batch in line] == [
        f"batch: {batch} open {queue}.done 0 of 2 done, 0 failed",
        f"batch: {batch} (see above)",
    ]
    assert set(cli("graph", child, "-o", "id").lines) == {child, sibling}
    assert cli("graph", child, "-o", "json").json["job_id"] == child
    assert cli("graph", "job_none", code=5).out == ""


def test_a_reader_that_has_had_enough_is_141_and_no_traceback(cli, node, queue):
    node.call("POST", "/enqueue/batch", {"jobs": [{"queue": queue, "payload": "x" * 500}] * 1_000})

    ran = cli.shell(f"corvo search queue:{queue} --all -o jsonl | head -n 1")

    assert (ran.code, ran.err, len(ran.lines)) == (141, "", 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
def test_a_full_disk_is_said(cli):
    ran = cli.shell("corvo errors -o json > /dev/full")

    assert (ran.code, ran.err) == (1, "Error: the output cannot be written: No space left on device\n")


def test_a_terminal_that_knows_few_characters_gets_what_it_can_show(cli, node, queue):
    payload = {"name": "Łukasz \N{SNOWMAN}"}
    job_id = node.enqueue(queue, payload=payload)
    node.fail(node.fetch(queue), "no mail for Łukasz", retry=False)

    table = cli("search", f"queue:{queue}", PYTHONIOENCODING="latin-1")
    document = cli("inspect", job_id, PYTHONIOENCODING="latin-1")

    assert "no mail for ?ukasz" in table.out
    assert document.json["payload"] == payload


@pytest.mark.parametrize(
    ("line", "code", "out"),
    [
        ("corvo retry <&-", 0, ""),
        ("corvo enqueue {queue} - <&-", 2, ""),
        ("corvo queues >&-", 0, ""),
        ("corvo wait job_none 2>&-", 5, ""),
        ("corvo queues show none 2>&-", 5, ""),
    ],
)
def test_what_is_closed_holds_nothing_and_takes_anything(cli, queue, line, code, out):
    ran = cli.shell(line.format(queue=queue))
    assert (ran.code, ran.out) == (code, out)
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("enqueue", "q", "-"), "the payload is not UTF-8"),
        (("retry",), "does not begin with the id of a job"),
        (("webhooks", "add", "http://127.0.0.1:9/", "--secret-file", "-"), "not UTF-8"),
    ],
)
def test_bytes_that_are_no_text_are_said_to_be_none(nowhere, words, said):
    ran = nowhere(*words, stdin=b'"caf\xe9"', code=2, PYTHONIOENCODING="utf-8:strict")
    assert said in ran.err


def test_names_that_are_no_text_are_said_to_be_none(nowhere, tmp_path):
    (tmp_path / "secret").write_bytes(b"\xff")
    added = nowhere("webhooks", "add", "http://h/", "--secret-file", tmp_path / "secret", code=2)
    assert "not UTF-8" in added.err
    assert "not UTF-8" in nowhere("pause", "caf\udce9", code=2).err
    assert "not UTF-8" in nowhere("enqueue", "caf\udce9", code=2).err
    assert "not UTF-8" in nowhere("events", "-f", "--since", "0", "--queue", "caf\udce9", code=2).err
