"""Schedules over HTTP, on a real node. What firing means is tested in tests/fsm and tests/actors."""

import asyncio
from itertools import pairwise
from urllib.parse import unquote

import pytest

from corvo.core.clock import SystemClock
from tests.support.node import running, until
from tests.support.schedules import DAY, ns

SCHEDULES = "/api/v1/schedules"
NIGHTLY = {"name": "nightly", "queue": "reports", "cron": "0 3 * * *"}


class ShiftedClock(SystemClock):
    """The machine's clock, as it would be at another time."""

    def __init__(self):
        self.shift_ns = 0

    def now_ns(self):
        return super().now_ns() + self.shift_ns


async def create(client, **fields):
    reply = await client.post(SCHEDULES, NIGHTLY | fields)
    assert reply.status == 201, reply
    return reply.json()


async def get(client, schedule):
    reply = await client.get(f"{SCHEDULES}/{schedule['id']}")
    assert reply.status == 200, reply
    return reply.json()


# Documents


async def test_a_new_schedule_is_answered_with_everything_about_it(client):
    reply = await client.post(
        SCHEDULES,
        NIGHTLY
        | {
            "timezone": "Europe/Berlin",
            "payload": {"day": "yesterday"},
            "priority": "high",
            "max_retries": 5,
            "unique_key": "report",
            "unique_period": 600,
            "retry_backoff": "fixed",
            "retry_base_delay": "30s",
            "expire_after": "1h",
            "tags": {"team": "a"},
            "misfire": "all",
            "overlap": "skip",
            "dst_gap": "skip",
            "dst_overlap": "both",
        },
    )
    assert reply.status == 201
    assert int(reply.headers["x-corvo-index"]) > 0
    body = reply.json()
    assert body["id"].startswith("sched_")
    assert len(body["id"]) == 32
    expected = {
        "name": "nightly",
        "queue": "reports",
        "cron": "0 3 * * *",
        "timezone": "Europe/Berlin",
        "enabled": True,
        "payload": {"day": "yesterday"},
        "priority": 1,
        "priority_name": "high",
        "max_retries": 5,
        "unique_key": "report",
        "unique_period": 600,
        "unique_until": "success",
        "retry_backoff": "fixed",
        "retry_base_delay": "30s",
        "retry_max_delay": "10m",
        "expire_after": "1h",
        "tags": {"team": "a"},
        "misfire": "all",
        "overlap": "skip",
        "dst_gap": "skip",
        "dst_overlap": "both",
        "version": 1,
        "fired": 0,
        "skipped": 0,
        "runs": [],
    }
    assert expected.items() <= body.items()
    assert body["next_run"].endswith(("T01:00:00Z", "T02:00:00Z"))
    assert "last_run" not in body
    assert await get(client, body) == body
    assert (await client.get(f"{SCHEDULES}/nightly")).json() == body


async def test_what_is_left_out_has_a_default(client):
    body = await create(client)
    defaults = {
        "timezone": "UTC",
        "payload": {},
        "priority_name": "normal",
        "max_retries": 3,
        "retry_backoff": "exponential",
        "misfire": "once",
        "overlap": "allow",
        "dst_gap": "shift",
        "dst_overlap": "first",
    }
    assert defaults.items() <= body.items()


async def test_the_list_is_sorted_by_name_and_paged(client):
    names = ["a b", "ä", "z", "b", "a"]
    for name in names:
        await create(client, name=name)
    whole = await client.get(SCHEDULES)
    assert [body["name"] for body in whole.json()] == ["a", "a b", "b", "z", "ä"]
    assert "x-corvo-next" not in whole.headers
    seen, after = [], ""
    while True:
        page = await client.get(f"{SCHEDULES}?limit=2&after={after}")
        seen += [body["name"] for body in page.json()]
        if "x-corvo-next" not in page.headers:
            break
        after = page.headers["x-corvo-next"]
        assert unquote(after) == seen[-1]
    assert seen == ["a", "a b", "b", "z", "ä"]


async def test_a_page_of_large_schedules_ends_early(client):
    for number in range(20):
        await create(client, name=f"{number:02}", payload="x" * 250_000)
    page = await client.get(SCHEDULES)
    assert 10 < len(page.json()) < 20
    rest = await client.get(f"{SCHEDULES}?after={page.headers['x-corvo-next']}")
    assert len(page.json()) + len(rest.json()) == 20
    assert "x-corvo-next" not in rest.headers


async def test_an_empty_list_is_a_list(client):
    assert (await client.get(SCHEDULES)).json() == []


async def test_a_name_is_given_once(client):
    first = await create(client)
    reply = await client.post(SCHEDULES, NIGHTLY)
    assert (reply.status, reply.code) == (409, "CONFLICT")
    assert reply.json()["schedule_id"] == first["id"]


async def test_members_that_are_given_replace_the_old_ones(client):
    before = await create(
        client, payload={"a": 1}, retry_base_delay="7s", unique_key="k", unique_until="start"
    )
    reply = await client.request(
        "PUT", f"{SCHEDULES}/{before['id']}", {"max_retries": 9, "retry_max_delay": "1m"}
    )
    assert reply.status == 200
    after = reply.json()
    assert after["version"] == 2
    changed = {"max_retries": 9, "retry_max_delay": "1m", "version": 2, "updated_at": after["updated_at"]}
    assert after == before | changed
    reply = await client.request("PUT", f"{SCHEDULES}/nightly", {"cron": "30 4 * * *", "name": "later"})
    assert reply.json()["next_run"].endswith("T04:30:00Z")
    assert (await client.get(f"{SCHEDULES}/nightly")).code == "NOT_FOUND"
    assert (await client.get(f"{SCHEDULES}/later")).json() == reply.json()


async def test_null_takes_a_member_back_to_its_default(client):
    before = await create(client, unique_key="k", expire_after="1h", tags={"a": "b"}, timezone="Asia/Tokyo")
    body = {"unique_key": None, "expire_after": None, "tags": None, "timezone": None, "payload": None}
    after = (await client.request("PUT", f"{SCHEDULES}/{before['id']}", body)).json()
    assert not {"unique_key", "expire_after", "tags"} & after.keys()
    assert (after["timezone"], after["payload"]) == ("UTC", {})


async def test_two_people_changing_different_members_at_once_both_get_their_way(client):
    before = await create(client)
    path = f"{SCHEDULES}/{before['id']}"
    bodies = [{"max_retries": 8}, {"payload": {"x": 1}}, {"priority": "critical"}, {"misfire": "skip"}]
    replies = await asyncio.gather(*(client.request("PUT", path, body) for body in bodies))
    assert [reply.status for reply in replies] == [200] * 4
    after = await get(client, before)
    assert (after["max_retries"], after["payload"], after["priority"], after["misfire"]) == (
        8,
        {"x": 1},
        0,
        "skip",
    )
    assert after["version"] == 5


async def test_a_change_may_insist_on_the_version_that_was_read(client):
    before = await create(client)
    path = f"{SCHEDULES}/{before['id']}"
    assert (await client.request("PUT", path, {"version": 1, "max_retries": 8})).status == 200
    reply = await client.request("PUT", path, {"version": 1, "max_retries": 9})
    assert (reply.status, reply.code, reply.json()["version"]) == (409, "CONFLICT", 2)
    assert (await get(client, before))["max_retries"] == 8


async def test_disabling_and_enabling(client):
    schedule = await create(client)
    off = (await client.post(f"{SCHEDULES}/nightly/disable")).json()
    assert off["enabled"] is False
    assert "next_run" not in off
    on = (await client.post(f"{SCHEDULES}/{schedule['id']}/enable")).json()
    assert (on["enabled"], on["next_run"]) == (True, schedule["next_run"])


async def test_deleting(client):
    schedule = await create(client)
    reply = await client.request("DELETE", f"{SCHEDULES}/{schedule['id']}")
    assert (reply.status, reply.json()) == (200, {"status": "deleted"})
    assert (await client.get(f"{SCHEDULES}/{schedule['id']}")).code == "NOT_FOUND"
    await create(client)
    assert (await client.request("DELETE", f"{SCHEDULES}/nightly")).status == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/sched_none"),
        ("PUT", "/sched_none"),
        ("DELETE", "/sched_none"),
        ("DELETE", "/none"),
        ("POST", "/sched_none/run"),
        ("POST", "/none/run"),
        ("POST", "/sched_none/enable"),
        ("POST", "/sched_none/disable"),
        ("GET", "/sched_none/preview"),
    ],
)
async def test_what_does_not_exist_is_not_found(client, method, path):
    reply = await client.request(method, SCHEDULES + path)
    assert (reply.status, reply.code) == (404, "NOT_FOUND")


BAD = [
    ({}, "VALIDATION_ERROR", "queue"),
    ({"queue": "q", "cron": "* * * * *"}, "VALIDATION_ERROR", "name"),
    ({"queue": "q", "name": "n"}, "VALIDATION_ERROR", "cron"),
    ({"name": "n", "cron": "* * * * *"}, "VALIDATION_ERROR", "queue"),
    (NIGHTLY | {"cron": "61 * * * *"}, "VALIDATION_ERROR", "cron"),
    (NIGHTLY | {"cron": "0 0 30 2 *"}, "VALIDATION_ERROR", "never fires"),
    (NIGHTLY | {"cron": "@reboot"}, "VALIDATION_ERROR", "cron"),
    (NIGHTLY | {"cron": 5}, "PARSE_ERROR", "$.cron"),
    (NIGHTLY | {"timezone": "Mars/Olympus"}, "VALIDATION_ERROR", "timezone"),
    (NIGHTLY | {"timezone": "../../etc/passwd"}, "VALIDATION_ERROR", "timezone"),
    (NIGHTLY | {"misfire": "twice"}, "VALIDATION_ERROR", "misfire"),
    (NIGHTLY | {"overlap": "no"}, "VALIDATION_ERROR", "overlap"),
    (NIGHTLY | {"dst_gap": "x"}, "VALIDATION_ERROR", "dst_gap"),
    (NIGHTLY | {"dst_overlap": "x"}, "VALIDATION_ERROR", "dst_overlap"),
    (NIGHTLY | {"enabled": "yes"}, "PARSE_ERROR", "$.enabled"),
    (NIGHTLY | {"name": "a/b"}, "VALIDATION_ERROR", "name"),
    (NIGHTLY | {"name": "a\0b"}, "VALIDATION_ERROR", "name"),
    (NIGHTLY | {"name": " a"}, "VALIDATION_ERROR", "name"),
    (NIGHTLY | {"name": "n" * 201}, "VALIDATION_ERROR", "name"),
    (NIGHTLY | {"name": "sched_1"}, "VALIDATION_ERROR", "name"),
    (NIGHTLY | {"queue": "a/b"}, "VALIDATION_ERROR", "queue"),
    (NIGHTLY | {"priority": "urgent"}, "VALIDATION_ERROR", "priority"),
    (NIGHTLY | {"max_retries": -1}, "VALIDATION_ERROR", "max_retries"),
    (NIGHTLY | {"expire_after": "soon"}, "VALIDATION_ERROR", "expire_after"),
    (NIGHTLY | {"retry_jitter": 2}, "VALIDATION_ERROR", "retry_jitter"),
    (b'{"name":', "PARSE_ERROR", ""),
]


@pytest.mark.parametrize(("body", "code", "named"), BAD, ids=[str(body)[-40:] for body, _, _ in BAD])
async def test_bad_input_is_refused_by_code_and_has_no_effect(client, body, code, named):
    reply = await client.post(SCHEDULES, body)
    assert (reply.status, reply.code) == (400, code)
    assert named in reply.json()["error"]
    assert (await client.get(SCHEDULES)).json() == []


async def test_a_change_is_checked_like_a_new_one(client):
    before = await create(client)
    for body in ({"cron": "x"}, {"name": ""}, {"queue": None}, {"misfire": "x"}):
        reply = await client.request("PUT", f"{SCHEDULES}/{before['id']}", body)
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
    assert await get(client, before) == before


@pytest.mark.parametrize("version", [-1, 10**30])
async def test_a_version_that_cannot_be_is_refused(client, version):
    await create(client)
    reply = await client.request("PUT", f"{SCHEDULES}/nightly", {"version": version})
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


async def test_spaces_in_an_expression_do_not_matter(client):
    assert (await create(client, cron="  0  3 *  * * "))["cron"] == "0 3 * * *"


async def test_a_payload_too_large_is_refused(client):
    reply = await client.post(SCHEDULES, NIGHTLY | {"payload": "x" * 300_000})
    assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")


# By hand


async def test_running_by_hand_makes_a_job(client):
    schedule = await create(client, payload={"n": 1}, enabled=False)
    reply = await client.post(f"{SCHEDULES}/{schedule['id']}/run")
    assert reply.status == 201
    job = await client.job(reply.json()["job_id"])
    assert (job["queue"], job["payload"], job["state"]) == ("reports", {"n": 1}, "pending")
    after = await get(client, schedule)
    assert (after["last_job_id"], after["fired"]) == (job["id"], 1)
    (run,) = after["runs"]
    assert run == {"at": after["last_run"], "job_id": job["id"], "note": "by hand"}


async def test_running_by_hand_twice_with_a_unique_key_names_the_first_job(client):
    await create(client, unique_key="k")
    first = (await client.post(f"{SCHEDULES}/nightly/run")).json()
    second = await client.post(f"{SCHEDULES}/nightly/run")
    assert second.status == 200
    assert second.json() == {
        "job_id": first["job_id"],
        "status": "duplicate",
        "unique_existing": True,
        "unique_job_id": first["job_id"],
    }


async def test_a_repeated_request_has_one_effect(client):
    made = [await client.post(SCHEDULES, NIGHTLY, idempotency_key="make") for _ in range(2)]
    assert made[0].json() == made[1].json()
    assert made[1].headers["idempotency-replayed"] == "true"
    runs = [await client.post(f"{SCHEDULES}/nightly/run", idempotency_key="run") for _ in range(2)]
    assert runs[0].json() == runs[1].json()
    assert (await client.get(f"{SCHEDULES}/nightly")).json()["fired"] == 1
    path = f"{SCHEDULES}/{made[0].json()['id']}"
    changed = [await client.request("PUT", path, {"max_retries": 1}, idempotency_key="put") for _ in range(2)]
    assert changed[0].json() == changed[1].json()
    gone = [await client.request("DELETE", path, idempotency_key="gone") for _ in range(2)]
    assert [reply.status for reply in gone] == [200, 200]


async def test_a_repeated_request_is_recognised_by_name_too(client):
    await client.post(SCHEDULES, NIGHTLY)
    name = NIGHTLY["name"]
    changed = [
        await client.request("PUT", f"{SCHEDULES}/{name}", {"name": "daily"}, idempotency_key="put")
        for _ in range(2)
    ]
    assert [reply.status for reply in changed] == [200, 200]
    assert changed[0].json() == changed[1].json()
    runs = [await client.post(f"{SCHEDULES}/daily/run", idempotency_key="run") for _ in range(2)]
    gone = [await client.request("DELETE", f"{SCHEDULES}/daily", idempotency_key="gone") for _ in range(2)]
    assert [reply.status for reply in gone] == [200, 200]
    assert gone[1].headers["idempotency-replayed"] == "true"
    again = await client.post(f"{SCHEDULES}/daily/run", idempotency_key="run")
    assert again.json() == runs[0].json() == runs[1].json()
    assert (await client.request("DELETE", f"{SCHEDULES}/daily", idempotency_key="new")).status == 404


# Looking ahead


async def test_fire_times_can_be_seen_before_they_come(client):
    schedule = await create(client, cron="30 2 * * *", timezone="America/New_York")
    path = f"{SCHEDULES}/{schedule['id']}/preview?n=3&after=2026-03-07T00:00:00Z"
    assert (await client.get(path)).json() == {
        "timezone": "America/New_York",
        "runs": [
            {"at": "2026-03-07T07:30:00Z", "local": "2026-03-07T02:30:00-05:00"},
            {"at": "2026-03-08T07:00:00Z", "local": "2026-03-08T03:00:00-04:00"},
            {"at": "2026-03-09T06:30:00Z", "local": "2026-03-09T02:30:00-04:00"},
        ],
    }
    ahead = (await client.get(f"{SCHEDULES}/nightly/preview")).json()["runs"]
    assert len(ahead) == 20
    assert ahead[0]["at"] == schedule["next_run"]


async def test_fire_times_can_be_tried_without_a_schedule(client):
    body = {"cron": "*/20 * * * * *", "n": 2, "after": "2026-01-01T00:00:00Z"}
    reply = await client.post(f"{SCHEDULES}/preview", body)
    assert [run["at"] for run in reply.json()["runs"]] == ["2026-01-01T00:00:20Z", "2026-01-01T00:00:40Z"]
    overlap = {"cron": "30 1 * * *", "timezone": "America/New_York", "dst_overlap": "both", "n": 2}
    reply = await client.post(f"{SCHEDULES}/preview", overlap | {"after": "2026-11-01T00:00:00Z"})
    assert [run["local"][-6:] for run in reply.json()["runs"]] == ["-04:00", "-05:00"]
    assert (await client.get(SCHEDULES)).json() == []


@pytest.mark.parametrize(
    "body", [{}, {"cron": "x"}, {"cron": "@daily", "after": "then"}, {"cron": "@daily", "timezone": "x"}]
)
async def test_a_preview_of_nonsense_is_refused(client, body):
    assert (await client.post(f"{SCHEDULES}/preview", body)).code == "VALIDATION_ERROR"


@pytest.mark.parametrize("after", ["1970-01-01T00:00:00Z", "2262-01-01T00:00:00Z"])
async def test_a_preview_reaches_as_far_as_times_do(client, after):
    body = {"cron": "0 0 29 2 *", "timezone": "Australia/Lord_Howe", "after": after, "n": 3}
    reply = await client.post(f"{SCHEDULES}/preview", body)
    assert len(reply.json()["runs"]) == 3


async def test_a_preview_is_bounded(client):
    reply = await client.post(f"{SCHEDULES}/preview", {"cron": "@daily", "n": 10**9})
    assert len(reply.json()["runs"]) == 100


# By the clock


async def fired_slots(client, queue="reports"):
    """The fire times of all jobs of a queue, by their histories."""
    slots = []
    while (job := await client.fetch(queue, timeout=1)) is not None:
        events = (await client.get(f"/api/v1/jobs/{job['job_id']}/events")).json()["events"]
        slots += [event["data"]["slot_at"] for event in events if event["type"] == "schedule.fired"]
    return sorted(ns(slot.removesuffix("Z")) for slot in slots)


@pytest.mark.slow
async def test_every_second_fires_each_second_over_a_restart(tmp_path):
    async with running(tmp_path) as node:
        schedule = await create(node.client, cron="* * * * * *", misfire="all")
        await until(lambda: _fired(node.client, schedule, 2))
    async with running(tmp_path) as node:
        before = (await get(node.client, schedule))["fired"]
        await until(lambda: _fired(node.client, schedule, before + 2))
        await node.client.post(f"{SCHEDULES}/nightly/disable")
        after = await get(node.client, schedule)
        slots = await fired_slots(node.client)
        assert len(slots) == after["fired"]
        # None twice and none left out.
        assert {later - earlier for earlier, later in pairwise(slots)} == {1_000_000_000}
        metrics = (await node.client.get("/api/v1/metrics")).body
        assert b"corvo_scheduler_cron_total" in metrics
        assert (await node.client.post("/api/v1/admin/check")).json()["problems"] == []


async def _fired(client, schedule, count):
    return (await get(client, schedule))["fired"] >= count


async def test_two_weeks_of_downtime_of_a_real_node(tmp_path):
    clock = ShiftedClock()
    async with running(tmp_path, clock) as node:
        for misfire in ("once", "skip", "all"):
            await create(node.client, name=misfire, queue=misfire, cron="0 3 * * *", misfire=misfire)
    # Into the afternoon, so that no fire time is near.
    clock.shift_ns = 14 * DAY + (15 * 3_600 * 10**9 - clock.now_ns()) % DAY
    async with running(tmp_path, clock) as node:
        client = node.client
        listed = {body["name"]: body for body in (await client.get(SCHEDULES)).json()}
        await until(lambda: _fired(client, listed["all"], 14))
        listed = {body["name"]: body for body in (await client.get(SCHEDULES)).json()}
        assert listed["once"]["fired"] == 1
        assert (listed["skip"]["fired"], listed["skip"]["runs"][0]["note"]) == (0, "missed")
        assert listed["all"]["fired"] in (14, 15)
        assert len({body["next_run"] for body in listed.values()}) == 1
        slots = await fired_slots(client, "all")
        assert len(slots) == len(set(slots)) == listed["all"]["fired"]
