"""Bodies of the audit log (docs/reference/audit.md)."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from corvo.core.access.audit import AuditRecord
from corvo.core.times import format_time_ns

_encode = msgspec.json.Encoder().encode


class AuditBody(msgspec.Struct, omit_defaults=True):
    id: str
    created_at: str
    #: `*` for what concerns the whole cluster.
    namespace: str
    principal: str
    role: str
    #: The address the request came from.
    client: str
    method: str
    path: str
    request_id: str
    #: What requests of this kind do.
    summary: str
    #: done, refused, or begun if it is not known what came of it.
    outcome: str
    #: 0 if the outcome is `begun`.
    status_code: int
    #: How many jobs it changed.
    affected: int
    #: The code of the error, if it was refused.
    code: str | UnsetType = UNSET
    #: How many equal refusals within a minute it stands for.
    times: int | UnsetType = UNSET
    #: What was asked for, in a few words and numbers.
    facts: dict[str, Any] | UnsetType = UNSET
    #: `query`: the query of the request.
    metadata: dict[str, Any] | UnsetType = UNSET


class AuditLogsBody(msgspec.Struct, omit_defaults=True):
    audit_logs: list[AuditBody]
    total: int
    limit: int
    offset: int
    has_more: bool
    #: True if there may be more than `total`: with a filter, only the newest 10,000 records are counted.
    total_is_estimate: bool | UnsetType = UNSET
    #: For the next page.
    cursor: str | UnsetType = UNSET


def audit_body(record: AuditRecord) -> AuditBody:
    return AuditBody(
        id=record.id,
        created_at=format_time_ns(record.at_ns),
        namespace=record.place.namespace,
        principal=record.principal,
        role=record.role,
        client=record.client,
        method=record.method,
        path=record.path,
        request_id=record.request_id,
        summary=record.summary,
        outcome=record.outcome,
        status_code=record.status,
        affected=record.affected,
        code=record.code or UNSET,
        times=record.times if record.times > 1 else UNSET,
        facts=record.facts or UNSET,
        metadata={"query": record.query} if record.query else UNSET,
    )


def audit_line(record: AuditRecord) -> bytes:
    """The same on one line, for exports and streams."""
    return _encode(audit_body(record))
