"""API keys and roles over HTTP: a node without keys is open on loopback, the first key shuts it for good."""

import pytest

from corvo.core.access.api_key import new_key
from corvo.core.clock import SystemClock
from tests.support.access import ADMIN, keys_by_name, new_client
from tests.support.node import running, until


async def test_a_node_without_keys_is_open_on_loopback(client):
    assert (await client.get("/api/v1/queues")).status == 200
    assert (await client.get("/api/v1/auth/status")).json()["auth_required"] is False
    who = (await client.get("/api/v1/auth/whoami")).json()
    assert (who["principal"], who["role"]) == ("anonymous", "admin")


async def test_the_first_key_shuts_the_node(client, admin):
    reply = await client.get("/api/v1/queues")
    assert (reply.status, reply.code) == (401, "UNAUTHORIZED")
    assert (await client.post("/api/v1/enqueue", {"queue": "q"})).status == 401
    assert (await admin.get("/api/v1/queues")).status == 200
    assert (await client.get("/api/v1/auth/status")).json()["auth_required"] is True


async def test_health_says_nothing_else_to_a_stranger(client, admin):
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    assert (await admin.get("/healthz")).json()["leader"] is True


@pytest.mark.parametrize(
    "wrong", [{"role": "readonly"}, {"namespace": "default"}, {"queue_scope": "a"}, {"role": "worker"}]
)
async def test_the_first_key_must_not_lock_everybody_out(client, wrong):
    reply = await client.post("/api/v1/auth/keys", ADMIN | wrong)
    assert (reply.status, reply.code) == (409, "ACCESS_ERROR")
    assert (await client.get("/api/v1/queues")).status == 200


async def test_deleting_the_last_key_does_not_open_the_node(client, admin):
    key = (await keys_by_name(admin))["root"]
    assert (await admin.request("DELETE", f"/api/v1/auth/keys/{key['id']}")).status == 200
    assert (await admin.get("/api/v1/queues")).status == 401
    assert (await client.get("/api/v1/queues")).status == 401


async def test_a_node_stays_shut_over_a_restart(tmp_path):
    async with running(tmp_path / "data") as node:
        made = await node.client.post("/api/v1/auth/keys", ADMIN)
    async with running(tmp_path / "data") as node:
        assert (await node.client.get("/api/v1/queues")).status == 401
        assert (await node.client.with_key(made.json()["api_key"]).get("/api/v1/queues")).status == 200


async def test_a_key_is_shown_as_bearer_token_too(client, admin):
    bearer = {"Authorization": f"Bearer {admin.headers['X-API-Key']}"}
    assert (await client.get("/api/v1/queues", **bearer)).status == 200


async def test_a_mistyped_key_is_told_from_an_unknown_one(client, admin):
    key = admin.headers["X-API-Key"]
    mistyped = key[:-1] + ("a" if key[-1] != "a" else "b")
    assert "mistyped" in (await client.with_key(mistyped).get("/api/v1/queues")).json()["error"]
    assert "characters" in (await client.with_key(key[:-3]).get("/api/v1/queues")).json()["error"]
    unknown = await client.with_key(new_key()).get("/api/v1/queues")
    assert (unknown.status, "not known" in unknown.json()["error"]) == (401, True)
    assert key not in unknown.body.decode()


async def test_secrets_are_shown_once_and_stored_nowhere(tmp_path):
    async with running(tmp_path / "data") as node:
        made = (await node.client.post("/api/v1/auth/keys", ADMIN)).json()
        admin = node.client.with_key(made["api_key"])
        assert made["api_key"] not in (await admin.get("/api/v1/auth/keys")).body.decode()
    stored = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert b"root" in stored, "or nothing would be proved"
    assert made["api_key"].encode() not in stored


async def test_a_disabled_or_expired_key_counts_no_longer(admin):
    worker = await new_client(admin, name="w", role="worker")
    key = (await keys_by_name(admin))["w"]
    assert (await worker.post("/api/v1/enqueue", {"queue": "q"})).status == 201
    assert (await admin.post("/api/v1/auth/keys", {"id": key["id"], "enabled": False})).status == 200
    assert (await worker.post("/api/v1/enqueue", {"queue": "q"})).status == 401
    assert (await admin.post("/api/v1/auth/keys", {"id": key["id"], "enabled": True})).status == 200
    assert (await worker.post("/api/v1/enqueue", {"queue": "q"})).status == 201


async def test_a_key_that_expires_is_refused_from_then_on(tmp_path):

    class Ahead(SystemClock):
        ahead_ns = 0

        def now_ns(self) -> int:
            return super().now_ns() + self.ahead_ns

    clock = Ahead()
    async with running(tmp_path / "data", clock=clock) as node:
        made = await node.client.post("/api/v1/auth/keys", ADMIN)
        admin = node.client.with_key(made.json()["api_key"])
        short = await new_client(admin, role="producer", expires_at="2099-01-01T00:00:00Z")
        assert (await short.post("/api/v1/enqueue", {"queue": "q"})).status == 201
        clock.ahead_ns = 100 * 366 * 86_400 * 10**9
        assert (await short.post("/api/v1/enqueue", {"queue": "q"})).status == 401


async def test_both_secrets_count_while_a_key_is_rotated(admin):
    worker = await new_client(admin, name="w", role="worker")
    key = (await keys_by_name(admin))["w"]
    rotated = (await admin.post(f"/api/v1/auth/keys/{key['id']}/rotate", {"overlap": "1h"})).json()
    assert rotated["former_until"] > "2026"
    newer = admin.with_key(rotated["api_key"])
    for either in (worker, newer):
        assert (await either.post("/api/v1/enqueue", {"queue": "q"})).status == 201
    at_once = (await admin.post(f"/api/v1/auth/keys/{key['id']}/rotate", {"overlap": "0s"})).json()
    for former in (worker, newer):
        assert (await former.post("/api/v1/enqueue", {"queue": "q"})).status == 401
    assert (await admin.with_key(at_once["api_key"]).post("/api/v1/enqueue", {"queue": "q"})).status == 201


async def test_the_last_use_of_a_key_is_noted(admin):
    producer = await new_client(admin, name="p", role="producer")
    await producer.post("/api/v1/enqueue", {"queue": "q"})

    async def noted():
        return "last_used_at" in (await keys_by_name(admin))["p"]

    await until(noted)


async def test_a_custom_role_allows_what_it_names(admin):
    role = {"name": "pauser", "permissions": [{"resource": "queues", "actions": ["read", "pause"]}]}
    assert (await admin.post("/api/v1/auth/roles", role)).status == 200
    pauser = await new_client(admin, role="pauser")
    await admin.post("/api/v1/enqueue", {"queue": "q"})
    assert (await pauser.post("/api/v1/queues/q/pause")).status == 200
    refused = await pauser.post("/api/v1/queues/q/resume")
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    wider = {"name": "pauser", "permissions": [{"resource": "queue*", "actions": ["*"]}]}
    assert (await admin.post("/api/v1/auth/roles", wider)).status == 200
    assert (await pauser.post("/api/v1/queues/q/resume")).status == 200


async def test_a_resource_without_a_star_is_no_prefix(admin):
    role = {"name": "odd", "permissions": [{"resource": "a", "actions": ["write"]}]}
    assert (await admin.post("/api/v1/auth/roles", role)).status == 400


async def test_a_role_that_a_key_has_cannot_be_deleted(admin):
    role = {"name": "looker", "permissions": [{"resource": "queues", "actions": ["read"]}]}
    await admin.post("/api/v1/auth/roles", role)
    looker = await new_client(admin, name="l", role="looker")
    reply = await admin.request("DELETE", "/api/v1/auth/roles/looker")
    assert (reply.status, reply.code) == (409, "ACCESS_ERROR")
    assert (await looker.get("/api/v1/queues")).status == 200


async def test_further_roles_are_added_and_taken_away(admin):
    role = {"name": "looker", "permissions": [{"resource": "queues", "actions": ["read"]}]}
    await admin.post("/api/v1/auth/roles", role)
    producer = await new_client(admin, name="p", role="producer")
    key = (await keys_by_name(admin))["p"]
    assert (await producer.get("/api/v1/queues")).status == 403
    assert (await admin.post(f"/api/v1/auth/keys/{key['key_hash']}/roles", {"role": "looker"})).status == 200
    assert (await producer.get("/api/v1/queues")).status == 200
    assert (await admin.get(f"/api/v1/auth/keys/{key['id']}/roles")).json()["roles"] == ["looker"]
    assert (await admin.request("DELETE", f"/api/v1/auth/keys/{key['id']}/roles/looker")).status == 200
    assert (await producer.get("/api/v1/queues")).status == 403


async def test_nobody_hands_out_more_than_they_have(admin):
    role = {"name": "keyer", "permissions": [{"resource": "keys", "actions": ["*"]}]}
    await admin.post("/api/v1/auth/roles", role)
    keyer = await new_client(admin, name="keyer", role="keyer")
    reply = await keyer.post("/api/v1/auth/keys", {"name": "more", "role": "admin"})
    assert (reply.status, reply.code) == (403, "FORBIDDEN")
    mine = (await keys_by_name(admin))["keyer"]["id"]
    assert (await keyer.post(f"/api/v1/auth/keys/{mine}/roles", {"role": "operator"})).status == 403
    assert (await keyer.post("/api/v1/auth/keys", {"id": mine, "role": "operator"})).status == 403


async def test_a_namespaced_admin_rules_its_own_namespace_only(admin):
    acme = await new_client(admin, name="acme", role="admin", namespace="acme")
    assert set(await keys_by_name(acme)) == {"acme"}
    root = (await keys_by_name(admin))["root"]["id"]
    assert (await acme.request("DELETE", f"/api/v1/auth/keys/{root}")).status == 404
    for other in ("*", "globex", "default"):
        refused = await acme.post("/api/v1/auth/keys", {"name": "x", "namespace": other})
        assert refused.status == 403, other
    own = await acme.post("/api/v1/auth/keys", {"name": "x", "role": "worker"})
    assert own.status == 200
    assert (await keys_by_name(acme))["x"]["namespace"] == "acme"
    for path in ("/api/v1/auth/roles", "/api/v1/cluster/status", "/api/v1/debug/runtime"):
        assert (await acme.get(path)).status == 403, path


async def test_a_key_made_by_hand_has_to_be_one_of_ours(admin):
    refused = await admin.post("/api/v1/auth/keys", {"name": "x", "key": "hunter2"})
    assert (refused.status, refused.code) == (400, "VALIDATION_ERROR")
    own = new_key()
    made = await admin.post("/api/v1/auth/keys", {"name": "x", "key": own, "role": "producer"})
    assert "api_key" not in made.json()
    assert (await admin.with_key(own).post("/api/v1/enqueue", {"queue": "q"})).status == 201
    again = await admin.post("/api/v1/auth/keys", {"name": "y", "key": own})
    assert (again.status, again.code) == (409, "ACCESS_ERROR")


async def test_a_scoped_key_has_no_power_over_keys_beyond_its_scope(admin):
    """It could have rotated them, and been shown the new secret."""
    scoped = await new_client(admin, name="scoped", role="admin", namespace="*", queue_scope="mine-*")
    wider = (await keys_by_name(admin))["root"]["id"]
    assert (await scoped.post(f"/api/v1/auth/keys/{wider}/rotate", {})).status == 403
    assert (await scoped.post(f"/api/v1/auth/keys/{wider}/roles", {"role": "worker"})).status == 403
    assert (await scoped.post("/api/v1/auth/keys", {"id": wider, "queue_scope": "mine-*"})).status == 403
    assert (await scoped.request("DELETE", f"/api/v1/auth/keys/{wider}")).status == 403
    assert (await scoped.post("/api/v1/auth/keys", {"name": "x"})).status == 403
    own = await scoped.post("/api/v1/auth/keys", {"name": "x", "queue_scope": "mine-*"})
    assert own.status == 200
    rotated = await scoped.post(f"/api/v1/auth/keys/{own.json()['id']}/rotate", {})
    assert rotated.status == 200


async def test_who_may_change_roles_cannot_put_more_into_them_than_they_have(admin):
    """It could have been the role of the caller itself."""
    rolemaker = {"name": "rolemaker", "permissions": [{"resource": "roles", "actions": ["*"]}]}
    assert (await admin.post("/api/v1/auth/roles", rolemaker)).status == 200
    maker = await new_client(admin, name="maker", role="rolemaker", namespace="*")
    more = {"name": "rolemaker", "permissions": [{"resource": "*", "actions": ["*"]}]}
    refused = await maker.post("/api/v1/auth/roles", more)
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert (await maker.get("/api/v1/queues")).status == 403
    assert (await maker.post("/api/v1/auth/roles", rolemaker)).status == 200


async def test_with_a_key_from_a_file_the_first_key_of_the_cluster_may_be_any(tmp_path):
    """Nobody is locked out by it: the file's key goes on counting."""
    file, key = tmp_path / "key", new_key()
    file.write_text(key)
    async with running(tmp_path / "data", api_key_file=str(file)) as node:
        admin = node.client.with_key(key)
        worker = await new_client(admin, name="w", role="worker")
        assert (await worker.post("/api/v1/enqueue", {"queue": "q"})).status == 201
        assert (await admin.get("/api/v1/auth/keys")).status == 200
