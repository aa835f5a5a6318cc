"""Jobs in, looked at and acted on by the command line."""

import json
import threading

import pytest

from tests.cli.request.test_restarts import until_asked

pytestmark = pytest.mark.slow


def test_a_job_goes_in_and_its_id_comes_out(cli, node, queue):
    ran = cli("enqueue", queue, '{"to":"ann"}', "--tag", "a=b", "--tags", '{"c":"d"}', "--priority", "high")
    job_id, status = ran.out.split()
    assert status == "pending"
    job = node.call("GET", f"/jobs/{job_id}")
    assert (job["payload"], job["tags"], job["priority_name"]) == (
        {"to": "ann"},
        {"a": "b", "c": "d"},
        "high",
    )


def test_a_payload_may_come_on_stdin_or_be_left_out(cli, node, queue):
    piped = cli("enqueue", queue, "-", "-o", "id", stdin='{"from":"stdin"}').out.strip()
    assert node.call("GET", f"/jobs/{piped}")["payload"] == {"from": "stdin"}
    plain = cli("enqueue", queue, "-o", "json").json
    assert plain["job"]["payload"] == {}
    assert plain["id"] == plain["job_id"]


def test_a_payload_that_is_not_json_is_refused_before_anything_is_sent(cli, queue):
    ran = cli("enqueue", queue, "{to:ann}", code=2)
    assert "not JSON" in ran.err
    assert cli("queues", "show", queue, code=5)


def test_many_jobs_come_from_a_file_one_per_line(cli, node, queue, tmp_path):
    file = tmp_path / "jobs.ndjson"
    file.write_text("".join(f'{{"n":{n}}}\n' for n in range(1_200)) + "\n")
    ran = cli("enqueue", queue, "--file", file, "-o", "id", "--priority", "critical")
    assert len(set(ran.lines)) == 1_200
    assert "1200 jobs enqueued" in ran.err
    assert node.call("GET", f"/queues/{queue}")["pending"] == 1_200
    last = node.call("GET", f"/jobs/{ran.lines[-1]}")
    assert (last["payload"], last["priority_name"]) == ({"n": 1_199}, "critical")


def test_a_bad_line_stops_the_file_and_what_was_accepted_is_said(cli, node, queue):
    lines = "".join(f'{{"n":{n}}}\n' for n in range(500)) + "{bad\n"
    ran = cli("enqueue", queue, "--file", "-", "-o", "id", stdin=lines, code=2)
    assert len(ran.lines) == 500
    assert "500 jobs enqueued" in ran.err
    assert "line 501 is not JSON" in ran.err
    assert node.call("GET", f"/queues/{queue}")["pending"] == 500
    # Also as a table, which is printed when all is known.
    heading, *rows = cli("enqueue", queue, "--file", "-", stdin=lines, code=2).lines
    assert (heading.split(), len(rows)) == (["ID", "QUEUE", "STATE"], 500)


def test_later_unique_and_other_wishes_reach_the_server(cli, node, queue):
    flags = ("--at", "10m", "--unique", "daily", "--unique-period", "2h", "--max-retries", "7")
    first = cli("enqueue", queue, *flags, "--expire-after", "1h", "-o", "json").json
    assert first["status"] == "scheduled"
    job = node.call("GET", f"/jobs/{first['id']}")
    assert (job["unique_key"], job["unique_period"], job["max_retries"]) == ("daily", 7_200, 7)
    assert job["expire_at"] > job["scheduled_at"] > job["created_at"]
    again = cli("enqueue", queue, *flags)
    assert again.out.split() == [first["id"], "duplicate"]
    exact = cli("enqueue", queue, "--scheduled-at", "2030-01-31T08:00:00+01:00", "-o", "json").json
    assert exact["job"]["scheduled_at"] == "2030-01-31T07:00:00Z"


# --wait


@pytest.mark.parametrize(
    ("ending", "code"), [("completed", 0), ("dead", 1), ("cancelled", 3), ("deleted", 5), ("late", 7)]
)
def test_waiting_for_a_job_ends_with_its_exit_code(cli, node, queue, ending, code):
    def work():
        job = None if ending == "late" else node.fetch(queue)
        match ending:
            case "completed":
                node.ack(job, result={"sum": 7})
            case "dead":
                node.fail(job, "no such mailbox", retry=False)
            case "cancelled":
                node.call("POST", f"/jobs/{job['job_id']}/cancel")
            case "deleted":
                node.call("DELETE", f"/jobs/{job['job_id']}")

    worker = threading.Thread(target=work)
    worker.start()
    patience = "500ms" if ending == "late" else "60s"
    ran = cli("enqueue", queue, "--wait", "--wait-timeout", patience, code=code)
    worker.join()
    words = {"completed": 'completed {"sum": 7}', "dead": "dead: no such mailbox", "late": "pending"}
    assert words.get(ending, ending) in ran.out


def test_a_wait_may_be_longer_than_the_patience_for_an_answer(cli, node, queue):
    job_id = cli("enqueue", queue, "-o", "id").lines[0]
    ran = cli("wait", job_id, "--timeout", "1s", "--wait-timeout", "1500ms", code=7)
    assert (ran.out, ran.err) == (f"{job_id} pending\n", "")
    node.fetch(queue)
    drained = cli("drain", queue, "--wait", "--timeout", "1s", "--wait-timeout", "1500ms", code=7)
    assert "no answer" not in drained.err


def test_wait_takes_ids_from_a_pipe_and_fails_if_one_of_them_did(cli, node, queue):
    good, bad = node.enqueue(queue), node.enqueue(queue)
    node.ack(node.fetch(queue))
    node.fail(node.fetch(queue), retry=False)
    assert cli("wait", good).out == f"{good} completed\n"
    ran = cli("wait", "-o", "jsonl", stdin=f"{bad}\n{good}\n", code=1)
    assert [job["state"] for job in ran.jsonl] == ["dead", "completed"]


def test_waiting_for_what_was_never_there_says_so_and_waits_for_the_others(cli, node, queue):
    ran = cli("wait", "job_nope", code=5)
    assert ran.out == ""
    assert ran.err.startswith("Error: job job_nope does not exist\n")
    good = node.enqueue(queue)
    node.ack(node.fetch(queue))
    ran = cli("wait", "job_nope", good, code=5)
    assert ran.out == f"{good} completed\n"
    assert "job job_nope does not exist" in ran.err


def test_a_job_that_is_deleted_while_somebody_waits_is_told_from_one_that_never_was(cli, node, queue):
    job_id = node.enqueue(queue)
    process = cli.start("wait", job_id)
    until_asked(cli.port)
    node.call("DELETE", f"/jobs/{job_id}")
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == (f"{job_id} deleted\n", "", 5)


# Looking


def test_inspect_prints_json_or_a_page(cli, node, queue):
    (job_id,) = node.dead(queue, error="line one\x1b[31m\nline two")
    assert cli("inspect", job_id).json == node.call("GET", f"/jobs/{job_id}")
    page = cli("inspect", job_id, "-o", "table").out
    assert page.startswith(f"{job_id}\n")
    assert "dead" in page
    assert "\x1b" not in page, "what a job says must not reach the terminal as commands"


def test_inspect_takes_ids_from_a_pipe_and_says_which_are_missing(cli, node, queue):
    job_id = node.enqueue(queue)
    ran = cli("inspect", "-o", "id", stdin=f"{job_id}\njob_none\n", code=8)
    assert ran.lines == [job_id]
    assert "job_none" in ran.err


def test_why_tells_times_as_people_do(cli, node, queue):
    job_id = cli("enqueue", queue, "--at", "2h30m", "-o", "id").out.strip()
    assert cli("why", job_id).lines[1:] == ["  it is to run later (in 2h)", "  expected to start in about 2h"]


def test_the_steps_of_a_chain_are_counted_as_people_count(cli, node, queue):
    steps = [{"queue": queue}, {"queue": f"{queue}.b"}]
    ending = {"on_failure": {"queue": f"{queue}.c"}}
    job_id = node.enqueue(queue, chain={"steps": steps} | ending)
    lines = cli("graph", job_id).lines
    assert [line.rpartition(queue)[2] for line in lines] == [" step 1  <- this one", ".b step 2"]
    node.fail(node.fetch(queue), retry=False)
    assert any(line.endswith(f"{queue}.c on failure") for line in cli("graph", job_id).lines)


def test_why_says_what_stands_in_the_way(cli, node, queue):
    job_id = node.enqueue(queue)
    node.call("POST", f"/queues/{queue}/pause")
    ran = cli("why", job_id)
    assert f"{job_id} is pending" in ran.out
    assert "paused" in ran.out
    assert cli("why", job_id, "-o", "json").json["reasons"][0]["code"] == "paused"


def test_what_people_wrote_cannot_command_the_terminal(cli, node, queue):
    job_id = node.enqueue(queue)
    cli("hold", job_id, "--reason", "\x1b[2Jgone")
    for ran in (cli("why", job_id), cli("search", f"queue:{queue}"), cli("history", job_id)):
        assert "gone" in ran.out
        assert "\x1b" not in ran.out
    assert "\x1b" not in cli("inspect", "\x1b[2J", code=5).err


def test_history_tells_a_job_from_its_beginning(cli, node, queue):
    (job_id,) = node.dead(queue, error="no such mailbox")
    events = cli("history", job_id, "-o", "json").json
    assert [event["type"] for event in events] == ["enqueued", "started", "failed", "dead"]
    heading, *rows = cli("history", job_id).lines
    assert heading.split()[:3] == ["SEQ", "TIME", "EVENT"]
    assert "no such mailbox" in rows[2]


# Acting


def test_every_act_on_a_job_does_what_it_says(cli, node, queue):
    job_id = node.enqueue(queue)
    assert cli("hold", job_id, "--reason", "too dear").out == f"{job_id} held\n"
    assert node.call("GET", f"/jobs/{job_id}")["hold_reason"] == "too dear"
    assert job_id in cli("held", "-o", "id").lines
    assert cli("approve", job_id).out == f"{job_id} pending\n"
    assert cli("priority", "critical", job_id).out == f"{job_id} changed\n"
    assert cli("move", job_id, f"{queue}-b").out == f"{job_id} moved\n"
    assert node.call("GET", f"/jobs/{job_id}")["queue"] == f"{queue}-b"
    assert cli("cancel", job_id).out == f"{job_id} cancelled\n"
    assert cli("retry", job_id, "-o", "json").json == {"id": job_id, "status": "retried"}
    cli("hold", job_id, "-o", "none")
    assert cli("reject", job_id, "--reason", "no").out == f"{job_id} dead\n"
    assert cli("delete", job_id, "--yes").out == f"{job_id} deleted\n"
    assert cli("inspect", job_id, code=5).out == ""


def test_ids_on_stdin_are_read_in_every_form(cli, node, queue):
    ids = [node.enqueue(queue) for _ in range(5)]
    table = f"ID   QUEUE\n{ids[0]}  {queue}  pending\n"
    for text, job_id in (
        (table, ids[0]),
        (json.dumps([ids[1]]), ids[1]),
        (json.dumps({"id": ids[2]}) + "\n", ids[2]),
        (json.dumps({"jobs": [{"id": ids[3]}], "total": 1}), ids[3]),
        (f"{ids[4]}\n\n", ids[4]),
    ):
        assert cli("cancel", "-o", "id", stdin=text).lines == [job_id]
    assert {node.state(job_id) for job_id in ids} == {"cancelled"}


def test_ids_may_be_named_and_piped_together(cli, node, queue):
    named, piped = node.enqueue(queue), node.enqueue(queue)
    assert cli("cancel", named, "-", "-o", "id", stdin=piped).lines == [named, piped]
    assert cli("move", "-", "--to", f"{queue}-b", "-o", "id", stdin=piped).lines == [piped]


def test_some_refused_is_another_exit_code_than_all_refused(cli, node, queue):
    job_id = node.enqueue(queue)
    ran = cli("approve", job_id, code=1)
    assert "Error: " in ran.err
    assert "corvo errors APPROVE_ERROR" in ran.err
    ran = cli("cancel", job_id, "job_none", code=8)
    assert ran.out == f"{job_id} cancelled\n"
    assert "job_none does not exist" in ran.err
    assert cli("cancel", "job_none", "job_nobody", code=5).out == ""


def test_a_part_of_an_id_is_enough_if_it_fits_one_job(cli, node, queue):
    job_id, other = node.enqueue(queue), node.enqueue(queue)
    for part in (job_id[-8:], job_id[-8:].lower(), f"{job_id[:9]}…{job_id[-6:]}", f"job_...{job_id[-6:]}"):
        assert cli("inspect", part).json["id"] == job_id
    assert cli("why", job_id[-8:]).out.startswith(job_id)
    assert job_id in cli("graph", job_id[-8:]).out
    assert cli("hold", job_id[-8:], other, "-o", "id").lines == [job_id, other]


def test_a_part_that_fits_several_jobs_or_none_changes_nothing(cli, node, queue):
    jobs = [node.enqueue(queue) for _ in range(3)]
    ran = cli("delete", jobs[0][:8], "--yes", code=2)
    assert "could be any of" in ran.err
    assert jobs[2] in ran.err or "..." in ran.err
    assert {node.state(job_id) for job_id in jobs} == {"pending"}
    assert "does not exist" in cli("inspect", "job_01ZZZZZZ", code=5).err
    assert "does not exist" in cli("inspect", "zzz", code=5).err


def test_everything_that_can_be_said_of_a_job_has_an_option(cli, node, queue):
    first = node.enqueue(queue)
    flags = (
        *(
            "--unique-key",
            "k",
            "--unique-until",
            "start",
            "--retry-base-delay",
            "2s",
            "--retry-max-delay",
            "1m",
        ),
        *("--retry-jitter", "0.5", "--checkpoint", '{"page":3}', "--group", "nightly", "--depends-on", first),
        *("--on-dependency-failure", "ignore", "--allow-missing"),
        *("--chain", json.dumps({"steps": [{"queue": queue}, {"queue": f"{queue}-b"}]})),
    )
    job = node.call("GET", f"/jobs/{cli('enqueue', queue, *flags, '-o', 'id').out.strip()}")
    assert (job["unique_until"], job["group"], job["checkpoint"]) == ("start", "nightly", {"page": 3})
    assert (job["retry_base_delay_ms"], job["retry_max_delay_ms"], job["retry_jitter"]) == (
        2_000,
        60_000,
        0.5,
    )
    assert (job["depends_on"], job["chain_step"]) == ([first], 0)
    assert cli("search", "--group", "nightly", "--queue", queue, "-o", "id").lines == [job["id"]]
    assert cli("search", f"queue:{queue} group:nightly", "-o", "id").lines == [job["id"]]
