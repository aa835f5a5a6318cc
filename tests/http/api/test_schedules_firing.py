"""Schedules that make jobs, on a real node: by hand, as foreseen, and by the clock."""

from itertools import pairwise

import pytest

from corvo.core.clock import SystemClock
from tests.support.node import running, until
from tests.support.schedules import DAY, NIGHTLY, SCHEDULES, create, get, ns


class ShiftedClock(SystemClock):
    """The machine's clock, as it would be at another time."""

    def __init__(self):
        self.shift_ns = 0

    def now_ns(self):
        return super().now_ns() + self.shift_ns


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


@pytest.mark.slow
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
