"""Roles: what keys may do."""

from collections.abc import Mapping, Sequence

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import path, read, write
from corvo_sdk.models.access import Role
from corvo_sdk.models.base import Status


class AsyncRoles:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def all(self) -> list[Role]:
        """The built-in ones, then those that admins have made."""
        return await self._connection.send(read("GET", path("auth", "roles"), list[Role]))

    async def set(self, name: str, permissions: Mapping[str, Sequence[str]]) -> None:
        """Make a role, or change what it holds: `{"queues": ["read", "pause"]}`."""
        pairs = [{"resource": resource, "actions": list(acts)} for resource, acts in permissions.items()]
        body = {"name": name, "permissions": pairs}
        await self._connection.send(write("POST", path("auth", "roles"), Status, body))

    async def delete(self, name: str) -> None:
        """Also as a further role of keys. One that is a key's own cannot be deleted."""
        await self._connection.send(write("DELETE", path("auth", "roles", name), Status))
