"""API keys: who may come in. A key is shown once, when it is made."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import path, read, write
from corvo_sdk.durations import Duration, as_text, as_time
from corvo_sdk.models.access import Key, KeyMade, KeyRoles
from corvo_sdk.models.base import Status

_PAGE = 1_000


class AsyncKeys:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def all(self) -> list[Key]:
        """The keys of one's own namespace, oldest first."""
        found: list[Key] = []
        while True:
            after = found[-1].id if found else None
            call = read("GET", path("auth", "keys"), list[Key], limit=_PAGE, after=after)
            page = await self._connection.send(call)
            found += page
            if len(page) < _PAGE:
                return found

    async def create(
        self,
        name: str,
        *,
        role: str = "readonly",
        namespace: str | None = None,
        queues: Sequence[str] = (),
        expires_at: datetime | str | None = None,
        key: str | None = None,
        certificate: str | None = None,
    ) -> KeyMade:
        """Make a key. `queues` are globs of those it may touch, none for all; `namespace` is `*` for all.

        The server makes the secret, unless `key` is one that `corvo keys new` has made, or `certificate` is
        the common name of client certificates that stand for it.
        """
        body = _body(namespace, queues or None, expires_at)
        body |= {"name": name, "role": role}
        body |= {k: v for k, v in {"key": key, "certificate": certificate}.items() if v is not None}
        return await self._connection.send(write("POST", path("auth", "keys"), KeyMade, body))

    async def update(
        self,
        key_id: str,
        *,
        name: str | None = None,
        role: str | None = None,
        namespace: str | None = None,
        queues: Sequence[str] | None = None,
        expires_at: datetime | str | None = None,
        enabled: bool | None = None,
    ) -> None:
        """Change what is given here; the secret stays as it is."""
        body = _body(namespace, queues, expires_at) | {"id": key_id}
        given = {"name": name, "role": role, "enabled": enabled}
        body |= {k: v for k, v in given.items() if v is not None}
        await self._connection.send(write("POST", path("auth", "keys"), KeyMade, body))

    async def enable(self, key_id: str) -> None:
        await self.update(key_id, enabled=True)

    async def disable(self, key_id: str) -> None:
        """It counts no longer on any node within two seconds."""
        await self.update(key_id, enabled=False)

    async def rotate(self, key_id: str, *, overlap: Duration | None = None) -> KeyMade:
        """Give a key a new secret. The former one counts for so long, or for a day."""
        body = {} if overlap is None else {"overlap": as_text(overlap)}
        return await self._connection.send(
            write("POST", path("auth", "keys", key_id, "rotate"), KeyMade, body)
        )

    async def delete(self, key_id: str) -> None:
        await self._connection.send(write("DELETE", path("auth", "keys", key_id), Status))

    async def roles(self, key_id: str) -> list[str]:
        """The further roles of a key, beside its own."""
        call = read("GET", path("auth", "keys", key_id, "roles"), KeyRoles)
        return (await self._connection.send(call)).roles

    async def grant(self, key_id: str, role: str) -> None:
        """Give a key a further role."""
        body = {"role": role}
        await self._connection.send(write("POST", path("auth", "keys", key_id, "roles"), Status, body))

    async def revoke(self, key_id: str, role: str) -> None:
        """Take a further role away from a key."""
        await self._connection.send(write("DELETE", path("auth", "keys", key_id, "roles", role), Status))


def _body(
    namespace: str | None, queues: Sequence[str] | None, expires_at: datetime | str | None
) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if namespace is not None:
        body["namespace"] = namespace
    if queues is not None:
        body["queue_scope"] = ",".join(queues)
    if expires_at is not None:
        body["expires_at"] = as_time(expires_at)
    return body
