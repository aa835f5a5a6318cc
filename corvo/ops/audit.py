"""Ops of the audit log. A record travels in the entry of the change that it is about."""

from typing import Any

from corvo.core.access.audit import AuditPlace
from corvo.ops.base import Op, op


@op
class WriteAudit(Op, frozen=True, tag=80):
    """Write down a request, and what the ops right before this one came to. One that was answered from memory
    has changed nothing, and is not written down again."""

    namespace: str
    principal: str
    role: str
    client: str
    method: str
    path: str
    query: str
    request_id: str
    summary: str
    facts: dict[str, Any]
    #: How many ops before this one are the request's.
    count: int
    #: What the client is answered if none of them is refused; 0 if that is not known yet.
    status: int
    #: Of a request that was refused before it came to any op.
    code: str = ""
    times: int = 1


@op
class ExtendAudit(Op, frozen=True, tag=81):
    """The ops right before this one belong to a request that is on record: add what they came to."""

    place: AuditPlace
    count: int
    status: int
    code: str = ""


@op
class TrimAudit(Op, frozen=True, tag=82):
    """Records beyond the newest `keep` of a namespace, and those older than this time, are removed."""

    keep: int
    at_before_ns: int
    limit: int
