"""Schedules made, changed, looked at and removed by the command line."""

import pytest

pytestmark = pytest.mark.slow


def test_a_schedule_lives_from_its_making_to_its_end(cli, node, queue):
    flags = ("--timezone", "Europe/Berlin", "--payload", '{"kind":"full"}', "--misfire", "skip")
    made = cli("schedules", "create", queue, queue, "0 3 * * *", *flags, "-o", "json").json
    assert (made["cron"], made["timezone"], made["payload"]) == (
        "0 3 * * *",
        "Europe/Berlin",
        {"kind": "full"},
    )
    heading, *rows = cli("schedules").lines
    assert heading.split()[:3] == ["NAME", "QUEUE", "CRON"]
    assert any(row.startswith(queue) for row in rows)
    cli("schedules", "update", queue, "--cron", "@hourly")
    assert cli("schedules", "show", queue).json["cron"] == "@hourly"
    assert "never" in cli("schedules", "disable", made["id"]).out
    assert cli("schedules", "enable", queue, "-o", "json").json["enabled"] is True
    job_id = cli("schedules", "run", queue, "-o", "id").out.strip()
    assert node.call("GET", f"/jobs/{job_id}")["payload"] == {"kind": "full"}
    assert "--yes" in cli("schedules", "delete", queue, code=2).err
    assert cli("schedules", "delete", queue, "-y").out == f"{queue} deleted\n"
    assert cli("cron", "show", queue, code=5).out == ""


def test_a_name_that_is_taken_is_a_conflict(cli, queue):
    cli("schedules", "create", queue, queue, "@daily", "--disabled")
    assert cli("schedules", "create", queue, queue, "@daily", code=6).out == ""


def test_the_next_times_are_shown_of_a_schedule_and_of_an_expression(cli, queue):
    cli("schedules", "create", queue, queue, "0 3 * * *")
    times = cli("schedules", "next", queue, "-n", "3", "-o", "id").lines
    assert len(times) == 3
    assert all(time.endswith("T03:00:00Z") for time in times)
    local = cli("schedules", "next", "0 3 * * 1-5", "--timezone", "Asia/Tokyo", "-n", "2", "-o", "json").json
    assert [run["local"][10:] for run in local] == ["T03:00:00+09:00"] * 2
    assert cli("schedules", "next", "every now and then", code=1).out == ""
