"""Who calls in the table of answers: one column each, and how it is made."""

from corvo.core.access.api_key import new_key
from corvo.core.clock import NS_PER_MS, SystemClock
from corvo.core.times import format_time_ns
from tests.support.access import Browser, key_of, keys_by_name, new_client
from tests.support.client import Client
from tests.support.node import until

#: The queue that requests name, and the only ones that `scoped` may touch.
THEIRS, MINE = "theirs", "mine-*"


async def callers(admin):
    """Column -> the headers of that caller."""
    roles = ("admin", "operator", "producer", "worker", "readonly")
    made = {
        "nobody": {},
        "bad": {"X-API-Key": new_key()},
        "expired": await _expired(admin),
        "disabled": await _disabled(admin),
    }
    for role in roles:
        made[role] = (await new_client(admin, name=role, role=role, namespace="*")).headers
    acme = (await new_client(admin, name="acme", role="admin", namespace="acme")).headers
    made["acme"] = acme
    made["acme:default"] = acme | {"X-Corvo-Namespace": "default"}
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    made["cross-site"] = made["admin"] | elsewhere
    made["scoped"] = (
        await new_client(admin, name="s", role="admin", namespace="*", queue_scope=MINE)
    ).headers
    browser = await Browser.log_in(Client(admin.address), key_of(admin))
    made["browser"] = browser.headers
    made["forged"] = browser.without("X-Corvo-CSRF").headers
    return made


async def _disabled(admin):
    client = await new_client(admin, name="disabled", role="admin", namespace="*")
    key = (await keys_by_name(admin))["disabled"]["id"]
    assert (await admin.post("/api/v1/auth/keys", {"id": key, "enabled": False})).status == 200
    return client.headers


async def _expired(admin):
    soon = format_time_ns(SystemClock().now_ns() + 200 * NS_PER_MS)
    client = await new_client(admin, name="expired", role="admin", namespace="*", expires_at=soon)

    async def is_over():
        return (await client.get("/api/v1/auth/whoami")).status == 401

    await until(is_over)
    return client.headers
