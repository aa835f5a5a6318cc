"""Namespaces and their quotas."""

from datetime import datetime

from corvo_sdk.models.base import Model


class Quotas(Model, frozen=True, kw_only=True):
    """How much a namespace may have; None for any amount."""

    max_queues: int | None = None
    max_jobs: int | None = None
    max_payload_bytes: int | None = None
    read_rps: float | None = None
    read_burst: int | None = None
    write_rps: float | None = None
    write_burst: int | None = None
    max_streams: int | None = None
    max_waiting_fetches: int | None = None


class NamespaceUse(Model, frozen=True, kw_only=True):
    queues: int = 0
    jobs: int = 0
    payload_bytes: int = 0
    #: On the node that answered.
    streams: int = 0
    waiting_fetches: int = 0


class NamespaceRates(Model, frozen=True, kw_only=True):
    using_defaults: bool = True
    read_rps: float | None = None
    read_burst: int | None = None
    write_rps: float | None = None
    write_burst: int | None = None


class Namespace(Model, frozen=True, kw_only=True):
    name: str
    quotas: Quotas
    used: NamespaceUse
    created_at: datetime | None = None
    #: The bulk task that empties it, if it is being deleted.
    deleting: str | None = None
    rate_limit: NamespaceRates | None = None


class NamespaceDeleted(Model, frozen=True, kw_only=True):
    status: str
    #: The bulk task that empties it first.
    bulk_operation_id: str | None = None
    progress_url: str | None = None
