"""Bodies of namespaces and their quotas (docs/reference/namespaces.md)."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo.actors.state.questions import NamespaceFound
from corvo.core.errors import ValidationFailed
from corvo.core.limits import QUEUES_MAX
from corvo.core.namespace import Quotas, is_namespace
from corvo.core.times import format_time_ns

_MANY = 2**53
Count = Annotated[int, Meta(ge=0, le=_MANY)]
Rate = Annotated[float, Meta(gt=0, le=1e9)]
Burst = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class QuotasBody(msgspec.Struct, forbid_unknown_fields=True):
    """How much a namespace may have; null, or left out, for any amount."""

    #: Kept exactly, whatever node a request comes to.
    max_queues: Annotated[int, Meta(ge=0, le=QUEUES_MAX)] | None = None
    #: Jobs in any state, ended ones included for as long as they are kept.
    max_jobs: Count | None = None
    max_payload_bytes: Count | None = None
    #: Of each node, for the requests that come to it.
    read_rps: Rate | None = None
    read_burst: Burst | None = None
    write_rps: Rate | None = None
    write_burst: Burst | None = None
    max_streams: Count | None = None
    max_waiting_fetches: Count | None = None


class RatesRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The rates alone; the other quotas stay as they are."""

    read_rps: Rate | None = None
    read_burst: Burst | None = None
    write_rps: Rate | None = None
    write_burst: Burst | None = None


class RatesBody(msgspec.Struct, omit_defaults=True):
    using_defaults: bool
    read_rps: float | UnsetType = UNSET
    read_burst: int | UnsetType = UNSET
    write_rps: float | UnsetType = UNSET
    write_burst: int | UnsetType = UNSET


class NamespaceRequest(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None = None
    quotas: QuotasBody | None = None


class UsedBody(msgspec.Struct):
    queues: int
    jobs: int
    payload_bytes: int
    #: On the node that answers.
    streams: int
    waiting_fetches: int


class NamespaceBody(msgspec.Struct, omit_defaults=True):
    name: str
    created_at: str
    quotas: QuotasBody
    used: UsedBody
    #: The bulk task that empties it, if it is being deleted.
    deleting: str | UnsetType = UNSET
    rate_limit: RatesBody | UnsetType = UNSET


class NamespaceCreated(msgspec.Struct):
    name: str
    status: str


class NamespaceDone(msgspec.Struct, omit_defaults=True):
    status: str
    #: The bulk task that empties it first.
    bulk_operation_id: str | UnsetType = UNSET
    progress_url: str | UnsetType = UNSET


def namespace_name(given: str | None) -> str:
    if not given:
        raise ValidationFailed("name is required")
    if not is_namespace(given):
        raise ValidationFailed(
            f"name: {given[:70]!r} is not the name of a namespace; it has lower-case letters, digits and "
            "inner hyphens, 63 at most"
        )
    return given


def quotas_of(body: QuotasBody | None) -> Quotas:
    return Quotas() if body is None else Quotas(**msgspec.structs.asdict(body))


def with_rates(quotas: Quotas, body: RatesRequest) -> Quotas:
    return msgspec.structs.replace(quotas, **msgspec.structs.asdict(body))


def rates_body(quotas: Quotas) -> RatesBody:
    given = {name: getattr(quotas, name) for name in RatesRequest.__struct_fields__}
    known = {name: value for name, value in given.items() if value is not None}
    return RatesBody(using_defaults=not known, **known)


def namespace_body(found: NamespaceFound, streams: int, waiting_fetches: int) -> NamespaceBody:
    quotas = found.namespace.quotas
    rates = rates_body(quotas)
    return NamespaceBody(
        name=found.namespace.name,
        created_at=format_time_ns(found.namespace.created_ns),
        quotas=QuotasBody(*(getattr(quotas, name) for name in QuotasBody.__struct_fields__)),
        used=UsedBody(found.queues, found.jobs, found.payload_bytes, streams, waiting_fetches),
        deleting=found.namespace.deleting or UNSET,
        rate_limit=UNSET if rates.using_defaults else rates,
    )
