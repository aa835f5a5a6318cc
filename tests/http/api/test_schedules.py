"""Schedules over HTTP, on a real node. What firing means is tested in tests/fsm and tests/actors."""

import asyncio
from urllib.parse import unquote

import pytest

from tests.support.schedules import NIGHTLY, SCHEDULES, create, get

pytestmark = pytest.mark.slow

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
