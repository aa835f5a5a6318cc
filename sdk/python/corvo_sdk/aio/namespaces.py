"""Namespaces: tenants, how much each may have and how much it has."""

from typing import Any

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import path, read, write
from corvo_sdk.models.base import Status
from corvo_sdk.models.namespace import Namespace, NamespaceDeleted, NamespaceRates


class AsyncNamespaces:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def all(self) -> list[Namespace]:
        """Those the client may see: all of them, or its own."""
        return await self._connection.send(read("GET", path("namespaces"), list[Namespace]))

    async def get(self, name: str) -> Namespace:
        return await self._connection.send(read("GET", path("namespaces", name), Namespace))

    async def create(self, name: str, **quotas: float | None) -> None:
        """Set one up: `create("acme", max_jobs=100_000, write_rps=500)`."""
        body: dict[str, Any] = {"name": name, "quotas": quotas}
        await self._connection.send(write("POST", path("namespaces"), Status, body))

    async def set_quotas(self, name: str, **quotas: float | None) -> None:
        """All quotas of a namespace; what is left out has no limit."""
        await self._connection.send(write("PUT", path("namespaces", name, "quotas"), Status, quotas))

    async def rates(self, name: str) -> NamespaceRates:
        """How fast its clients may send requests to each node."""
        return await self._connection.send(
            read("GET", path("namespaces", name, "rate-limit"), NamespaceRates)
        )

    async def set_rates(self, name: str, **rates: float | None) -> None:
        """The rates alone; the other quotas stay as they are."""
        await self._connection.send(write("PUT", path("namespaces", name, "rate-limit"), Status, rates))

    async def delete(self, name: str, *, force: bool = False) -> NamespaceDeleted:
        """One that is empty; by force all that is in it, by a bulk task that the answer names."""
        call = write("DELETE", path("namespaces", name), NamespaceDeleted, force=force or None)
        return await self._connection.send(call)
