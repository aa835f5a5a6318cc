"""The audit log."""

from datetime import datetime
from typing import Any

import msgspec

from corvo_sdk.models.base import Model


class AuditRecord(Model, frozen=True, kw_only=True):
    """Who changed what, and what came of it."""

    id: str
    created_at: datetime
    #: `*` for what concerns the whole cluster.
    namespace: str = ""
    principal: str = ""
    role: str = ""
    #: The address the request came from.
    client: str = ""
    method: str = ""
    path: str = ""
    request_id: str = ""
    #: What requests of this kind do.
    summary: str = ""
    #: done, refused, or begun if it is not known what came of it.
    outcome: str = ""
    status_code: int = 0
    #: How many jobs it changed.
    affected: int = 0
    #: The code of the error, if it was refused.
    code: str | None = None
    #: How many equal refusals it stands for.
    times: int = 1
    facts: dict[str, Any] = msgspec.field(default_factory=dict)
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)


class AuditPage(Model, frozen=True, kw_only=True):
    audit_logs: list[AuditRecord]
    total: int = 0
    has_more: bool = False
    #: Whether there may be more than `total`.
    total_is_estimate: bool = False
    #: For the next page.
    cursor: str | None = None
