# Made from corvo_sdk/aio/roles.py by make_sync.py: change that file, then run `make sdk`.
"""Roles: what keys may do."""

from collections.abc import Mapping, Sequence

from corvo_sdk.call import path, read, write
from corvo_sdk.models.access import Role
from corvo_sdk.models.base import Status
from corvo_sdk.sync.connection import Connection


class Roles:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> list[Role]:
        """The built-in ones, then those that admins have made."""
        return self._connection.send(read("GET", path("auth", "roles"), list[Role]))

    def set(self, name: str, permissions: Mapping[str, Sequence[str]]) -> None:
        """Make a role, or change what it holds: `{"queues": ["read", "pause"]}`."""
        pairs = [{"resource": resource, "actions": list(acts)} for resource, acts in permissions.items()]
        body = {"name": name, "permissions": pairs}
        self._connection.send(write("POST", path("auth", "roles"), Status, body))

    def delete(self, name: str) -> None:
        """Also as a further role of keys. One that is a key's own cannot be deleted."""
        self._connection.send(write("DELETE", path("auth", "roles", name), Status))
