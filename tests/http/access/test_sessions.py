"""Sessions over HTTP: login by key, the cookie and its token, and how a session ends."""

import pytest

from corvo.core.clock import SystemClock
from tests.support.access import Browser, Talk, delete_key, first_key, key_of, keys_by_name, new_client
from tests.support.node import running, until


class Ahead(SystemClock):
    ahead_ns = 0

    def now_ns(self) -> int:
        return super().now_ns() + self.ahead_ns


HOUR_NS = 3_600 * 10**9


@pytest.fixture
async def browser(client, admin):
    return await Browser.log_in(client, key_of(admin))


async def test_a_key_shown_once_begins_a_session(client, admin, browser):
    assert (await browser.get("/api/v1/queues")).status == 200
    who = (await browser.get("/api/v1/auth/whoami")).json()
    assert (who["principal"], who["namespace"], who["csrf"]) == (
        "key:root",
        "*",
        browser.headers["X-Corvo-CSRF"],
    )
    assert who["session_id"].startswith("ses_")
    assert "csrf" not in (await admin.get("/api/v1/auth/whoami")).json()


async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(client, admin):
    reply = await client.post("/api/v1/auth/login", {"api_key": key_of(admin)})
    name_and_value, *attributes = reply.headers["set-cookie"].split("; ")
    assert len(name_and_value.partition("=")[2]) == 43
    assert set(attributes) == {"Path=/", "Max-Age=604800", "HttpOnly", "SameSite=Strict"}
    assert reply.headers["cache-control"] == "no-store"


async def test_the_cookie_is_secure_behind_a_trusted_proxy_with_tls(tmp_path):
    async with running(tmp_path / "data", trusted_proxies="127.0.0.1") as node:
        key = key_of(await first_key(node.client))
        reply = await node.client.post(
            "/api/v1/auth/login", {"api_key": key}, **{"X-Forwarded-Proto": "https"}
        )
        assert "; Secure" in reply.headers["set-cookie"]


async def test_a_proxy_that_nobody_trusts_cannot_say_that_it_speaks_tls(client, admin):
    reply = await client.post(
        "/api/v1/auth/login", {"api_key": key_of(admin)}, **{"X-Forwarded-Proto": "https"}
    )
    assert "Secure" not in reply.headers["set-cookie"]


async def test_a_wrong_key_begins_nothing(client, admin):
    reply = await client.post("/api/v1/auth/login", {"api_key": "corvo_nonsense"})
    assert (reply.status, reply.code) == (401, "UNAUTHORIZED")
    assert "set-cookie" not in reply.headers
    assert (await client.post("/api/v1/auth/login", {})).status == 400


async def test_an_open_node_needs_no_login(client):
    reply = await client.post("/api/v1/auth/login", {"api_key": "x"})
    assert (reply.status, reply.code) == (409, "ACCESS_ERROR")


async def test_a_change_by_cookie_needs_the_token_of_its_session(client, admin, browser):
    assert (await browser.post("/api/v1/enqueue", {"queue": "q"})).status == 201
    bare = browser.without("X-Corvo-CSRF")
    assert (await bare.get("/api/v1/queues")).status == 200
    other = await Browser.log_in(client, key_of(admin))
    for token in ({}, {"X-Corvo-CSRF": ""}, {"X-Corvo-CSRF": other.headers["X-Corvo-CSRF"]}):
        for method, path in (
            ("POST", "/api/v1/enqueue"),
            ("POST", "/api/v1/queues/q/pause"),
            ("DELETE", "/api/v1/queues/q?confirm=true"),
        ):
            reply = await bare.request(method, path, {"queue": "q"}, **token)
            assert (reply.status, reply.code) == (403, "CSRF_REFUSED"), (method, path, token)


async def test_a_key_needs_no_such_token_even_beside_a_cookie(client, admin, browser):
    both = browser.without("X-Corvo-CSRF").headers | admin.headers
    assert (await client.post("/api/v1/enqueue", {"queue": "q"}, **both)).status == 201


async def test_a_cookie_does_not_help_a_key_that_is_wrong(client, admin, browser):
    wrong = browser.headers | {"X-API-Key": "corvo_wrong"}
    assert (await client.get("/api/v1/queues", **wrong)).status == 401


async def test_a_session_is_not_for_workers_nor_for_the_cluster(browser):
    await browser.post("/api/v1/enqueue", {"queue": "q"})
    for path, body in (
        ("/api/v1/fetch", {"queues": ["q"]}),
        ("/api/v1/fetch/batch", {"queues": ["q"]}),
        ("/api/v1/ack/job_1", {}),
        ("/api/v1/ack/batch", {"acks": [{"job_id": "job_1"}]}),
        ("/api/v1/fail/job_1", {"error": "x"}),
        ("/api/v1/heartbeat", {"jobs": {}}),
        ("/api/v1/release/job_1", {}),
        ("/api/v1/stream", {}),
        ("/api/v1/cluster/join", {"node_id": "n2", "address": "127.0.0.1:1"}),
        ("/api/v1/cluster/remove", {"node_id": "n2"}),
        ("/api/v1/cluster/leave", {}),
        ("/api/v1/cluster/transfer", {}),
    ):
        reply = await browser.post(path, body)
        assert (reply.status, reply.code) == (403, "FORBIDDEN"), path
        assert "not for browsers" in reply.json()["error"], path
    assert "cluster:write" not in (await browser.get("/api/v1/auth/whoami")).json()["permissions"]


async def test_an_admin_can_make_a_workers_key_in_the_browser(browser):
    made = await browser.post("/api/v1/auth/keys", {"name": "w", "role": "worker"})
    assert made.status == 200
    assert made.json()["api_key"].startswith("corvo_")


async def test_logging_out_ends_the_session_and_takes_the_cookie_back(browser):
    bare = browser.without("X-Corvo-CSRF")
    assert (await bare.post("/api/v1/auth/logout")).status == 403
    assert (await browser.get("/api/v1/queues")).status == 200
    out = await browser.post("/api/v1/auth/logout")
    assert out.status == 200
    assert out.headers["set-cookie"].startswith("corvo_session=; Path=/; Max-Age=0")
    after = await browser.get("/api/v1/queues")
    assert (after.status, "log in again" in after.json()["error"]) == (401, True)
    assert (await browser.post("/api/v1/auth/logout")).status == 200


async def test_a_session_ends_with_its_key(client, admin):
    operator = await new_client(admin, name="op", role="operator")
    browser = await Browser.log_in(client, key_of(operator))
    key = (await keys_by_name(admin))["op"]["id"]
    assert (await browser.get("/api/v1/queues")).status == 200
    await admin.post("/api/v1/auth/keys", {"id": key, "enabled": False})
    assert (await browser.get("/api/v1/queues")).status == 401
    await admin.post("/api/v1/auth/keys", {"id": key, "enabled": True})
    assert (await browser.get("/api/v1/queues")).status == 200
    await delete_key(admin, "op")
    assert (await browser.get("/api/v1/queues")).status == 401


async def test_a_session_goes_by_the_role_its_key_has_now(client, admin):
    operator = await new_client(admin, name="op", role="operator")
    browser = await Browser.log_in(client, key_of(operator))
    key = (await keys_by_name(admin))["op"]["id"]
    assert (await browser.post("/api/v1/queues/q/pause")).status == 200
    await admin.post("/api/v1/auth/keys", {"id": key, "role": "readonly"})
    assert (await browser.post("/api/v1/queues/q/resume")).status == 403


async def test_a_session_ends_with_the_secret_it_was_begun_by(client, admin):
    operator = await new_client(admin, name="op", role="operator")
    browser = await Browser.log_in(client, key_of(operator))
    key = (await keys_by_name(admin))["op"]["id"]
    await admin.post(f"/api/v1/auth/keys/{key}/rotate", {"overlap": "1h"})
    assert (await browser.get("/api/v1/queues")).status == 200
    await admin.post(f"/api/v1/auth/keys/{key}/rotate", {"overlap": "0s"})
    assert (await browser.get("/api/v1/queues")).status == 401


async def test_people_see_and_end_their_own_sessions_only(client, admin, browser):
    operator = await new_client(admin, name="op", role="operator")
    theirs = await Browser.log_in(client, key_of(operator))
    await Browser.log_in(client, key_of(operator))
    everyone = (await browser.get("/api/v1/auth/sessions")).json()
    assert sorted(session["principal"] for session in everyone) == ["key:op", "key:op", "key:root"]
    assert [session["principal"] for session in everyone if session["current"]] == ["key:root"]
    own = (await theirs.get("/api/v1/auth/sessions")).json()
    assert [session["principal"] for session in own] == ["key:op", "key:op"]
    assert (await operator.get("/api/v1/auth/sessions")).json() != []
    (root,) = [session["id"] for session in everyone if session["current"]]
    assert (await theirs.request("DELETE", f"/api/v1/auth/sessions/{root}")).status == 404
    current = next(session["id"] for session in own if session["current"])
    assert (await browser.request("DELETE", f"/api/v1/auth/sessions/{current}")).status == 200
    assert (await theirs.get("/api/v1/queues")).status == 401
    assert (await browser.request("DELETE", f"/api/v1/auth/sessions/{current}")).status == 404


async def test_a_key_of_the_same_name_elsewhere_sees_no_foreign_sessions(client, admin):
    one = await new_client(admin, name="same", role="operator", namespace="acme")
    two = await new_client(admin, name="same", role="operator", namespace="globex")
    await Browser.log_in(client, key_of(one))
    assert (await two.get("/api/v1/auth/sessions")).json() == []


async def test_a_reader_of_events_is_let_go_when_its_session_ends(client, admin):
    browser = await Browser.log_in(client, key_of(admin))
    talk = await Talk.begin(browser, "GET /api/v1/events")
    await talk.hear(b":connected")
    await browser.post("/api/v1/auth/logout")
    assert b"UNAUTHORIZED" in await talk.hear(b"\r\n0\r\n\r\n")
    talk.close()


async def test_a_session_that_is_used_goes_on_and_one_that_is_not_ends(tmp_path):
    clock = Ahead()
    async with running(tmp_path / "data", clock=clock) as node:
        admin = await first_key(node.client)
        idle = await Browser.log_in(node.client, key_of(admin))
        used = await Browser.log_in(node.client, key_of(admin))
        mine = (await used.get("/api/v1/auth/whoami")).json()["session_id"]

        async def last_use():
            listed = (await admin.get("/api/v1/auth/sessions")).json()
            return {session["id"]: session["last_used_at"] for session in listed}[mine]

        before = await last_use()
        clock.ahead_ns += 11 * HOUR_NS
        assert (await used.get("/api/v1/queues")).status == 200

        async def is_noted():
            return await last_use() > before

        await until(is_noted, seconds=20)
        clock.ahead_ns += 11 * HOUR_NS
        assert (await used.get("/api/v1/queues")).status == 200
        assert (await idle.get("/api/v1/queues")).status == 401
        clock.ahead_ns += 13 * HOUR_NS
        assert (await used.get("/api/v1/queues")).status == 401


async def test_a_session_survives_a_restart_and_its_token_is_stored_nowhere(tmp_path):
    async with running(tmp_path / "data") as node:
        admin = await first_key(node.client)
        browser = await Browser.log_in(node.client, key_of(admin))
    async with running(tmp_path / "data") as node:
        assert (await node.client.get("/api/v1/queues", **browser.headers)).status == 200
    token = browser.headers["Cookie"].partition("=")[2].encode()
    stored = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert b"ses_" in stored, "or nothing would be proved"
    assert token not in stored
