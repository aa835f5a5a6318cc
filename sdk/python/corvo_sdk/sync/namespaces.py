# Made from corvo_sdk/aio/namespaces.py by make_sync.py: change that file, then run `make sdk`.
"""Namespaces: tenants, how much each may have and how much it has."""

from typing import Any

from corvo_sdk.call import path, read, write
from corvo_sdk.models.base import Status
from corvo_sdk.models.namespace import Namespace, NamespaceDeleted, NamespaceRates
from corvo_sdk.sync.connection import Connection


class Namespaces:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> list[Namespace]:
        """Those the client may see: all of them, or its own."""
        return self._connection.send(read("GET", path("namespaces"), list[Namespace]))

    def get(self, name: str) -> Namespace:
        return self._connection.send(read("GET", path("namespaces", name), Namespace))

    def create(self, name: str, **quotas: float | None) -> None:
        """Set one up: `create("acme", max_jobs=100_000, write_rps=500)`."""
        body: dict[str, Any] = {"name": name, "quotas": quotas}
        self._connection.send(write("POST", path("namespaces"), Status, body))

    def set_quotas(self, name: str, **quotas: float | None) -> None:
        """All quotas of a namespace; what is left out has no limit."""
        self._connection.send(write("PUT", path("namespaces", name, "quotas"), Status, quotas))

    def rates(self, name: str) -> NamespaceRates:
        """How fast its clients may send requests to each node."""
        return self._connection.send(read("GET", path("namespaces", name, "rate-limit"), NamespaceRates))

    def set_rates(self, name: str, **rates: float | None) -> None:
        """The rates alone; the other quotas stay as they are."""
        self._connection.send(write("PUT", path("namespaces", name, "rate-limit"), Status, rates))

    def delete(self, name: str, *, force: bool = False) -> NamespaceDeleted:
        """One that is empty; by force all that is in it, by a bulk task that the answer names."""
        call = write("DELETE", path("namespaces", name), NamespaceDeleted, force=force or None)
        return self._connection.send(call)
