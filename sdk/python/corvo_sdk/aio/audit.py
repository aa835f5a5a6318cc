"""The audit log: who changed what."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import TypedDict, Unpack

import msgspec

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.aio.events import SILENCE_S
from corvo_sdk.call import Call, path
from corvo_sdk.models.audit import AuditPage, AuditRecord


class AuditFilter(TypedDict, total=False):
    """Which records are wanted."""

    principal: str
    method: str
    path_prefix: str
    namespace: str
    since: datetime
    until: datetime


class AsyncAudit:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def page(
        self, *, limit: int = 50, cursor: str | None = None, **wanted: Unpack[AuditFilter]
    ) -> AuditPage:
        """Records that match all filters, newest first."""
        query = _query(wanted) | {"limit": str(limit)}
        if cursor is not None:
            query["cursor"] = cursor
        return await self._connection.send(Call("GET", path("audit-logs"), AuditPage, query=query))

    async def export(self, **wanted: Unpack[AuditFilter]) -> AsyncGenerator[AuditRecord, None]:
        """All records that match, newest first, as they come."""
        call = Call(
            "GET", path("audit-logs", "export"), type(None), query=_query(wanted), silence_s=SILENCE_S
        )
        async with self._connection.lines(call) as lines:
            async for line in lines:
                if line:
                    yield msgspec.json.decode(line, type=AuditRecord)


def _query(wanted: AuditFilter) -> dict[str, str]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else str(value)
        for name, value in wanted.items()
    }
