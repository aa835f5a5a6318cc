"""Schedules for tests, and reading them back from a store."""

from datetime import datetime

from corvo.core.backoff import Backoff
from corvo.core.priority import Priority
from corvo.core.schedule import Pattern, Plan, Schedule, Timing, decode_schedule
from corvo.storage import keys

MINUTE = 60 * 1_000_000_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def ns(text):
    """A time such as 2026-03-08T02:30:00+00:00; without an offset it is UTC."""
    moment = datetime.fromisoformat(text if "+" in text else text + "+00:00")
    return int(moment.timestamp()) * 1_000_000_000


def pattern(**fields):
    defaults = {
        "queue": "q",
        "payload": b"{}",
        "priority": Priority.NORMAL,
        "max_retries": 3,
        "backoff": Backoff.EXPONENTIAL,
        "retry_base_ms": 5_000,
        "retry_max_ms": 600_000,
        "retry_jitter": 0.0,
        "unique": None,
        "expire_after_ms": None,
        "tags": None,
    }
    return Pattern(**(defaults | fields))


def plan(name="nightly", cron="* * * * *", **fields):
    timing = {key: fields.pop(key) for key in ("timezone", "dst_gap", "dst_overlap") if key in fields}
    own = {key: fields.pop(key) for key in ("misfire", "overlap", "enabled") if key in fields}
    return Plan(name, Timing(cron, **timing), pattern(**fields), **own)


def stored(kv, schedule_id="sched_1") -> Schedule | None:
    data = kv.get(keys.schedule(schedule_id))
    return None if data is None else decode_schedule(data)


# Over HTTP

SCHEDULES = "/api/v1/schedules"
NIGHTLY = {"name": "nightly", "queue": "reports", "cron": "0 3 * * *"}


async def create(client, **fields):
    reply = await client.post(SCHEDULES, NIGHTLY | fields)
    assert reply.status == 201, reply
    return reply.json()


async def get(client, schedule):
    reply = await client.get(f"{SCHEDULES}/{schedule['id']}")
    assert reply.status == 200, reply
    return reply.json()
