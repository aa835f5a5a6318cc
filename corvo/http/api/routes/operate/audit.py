"""The audit log: who changed what. Newest first, a page at a time, or all of it as lines of JSON."""

from collections.abc import AsyncIterator
from typing import Final

import msgspec
from msgspec import UNSET

from corvo.actors.audit.messages import AuditFilter, AuditFound, FindAudit
from corvo.core.access.audit import AuditRecord, time_of_id
from corvo.core.errors import Forbidden, Stale, ValidationFailed
from corvo.core.limits import AUDIT_OFFSET_MAX, AUDIT_PAGE_MAX
from corvo.core.namespace import ALL, is_namespace
from corvo.core.times import parse_time_ns
from corvo.http.api.schema.audit import AuditLogsBody, audit_body, audit_line
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode

#: Records that the state machine looks at for one question; others get their turn in between.
_LOOK_AT: Final = 500
#: With a filter, matches are counted among so many records.
_COUNTED_MAX: Final = 10_000
_END_NS: Final = (1 << 63) - 1
_FILTERS: Final = {
    "principal": "Only of this principal, such as key:deploy.",
    "method": "Only requests with this method.",
    "path_prefix": "Only requests whose path begins like this.",
    "namespace": "Only of this namespace; * for what concerns the whole cluster.",
    "since": "Not before this time.",
    "until": "Before this time.",
}


@route(
    "GET /api/v1/audit-logs",
    needs="audit:read",
    returns=AuditLogsBody,
    errors=(ValidationFailed, Forbidden, Stale),
    tag="Audit",
    query={
        "limit": "At most this many, up to 1,000; 50 if not given.",
        "cursor": "From the page before.",
        "offset": "How many to leave out, up to 100,000; a cursor is quicker.",
    }
    | _FILTERS,
)
async def audit_logs(request: Request, ctx: EdgeContext) -> Response:
    """Who changed what, newest first."""
    limit = _number(request, "limit", 50, least=1, most=AUDIT_PAGE_MAX)
    offset = _number(request, "offset", 0, least=0, most=AUDIT_OFFSET_MAX)
    wanted, until_ns = _wanted(request)
    before_ns = _start(request, until_ns)
    await ctx.await_index(request)
    found: list[AuditRecord] = []
    left_out = 0
    next_ns: int | None = before_ns
    while next_ns is not None and len(found) < limit:
        page = await _ask(ctx, wanted, next_ns, offset - left_out + limit - len(found))
        past = min(offset - left_out, len(page.records))
        left_out += past
        found += page.records[past:]
        next_ns = page.before_ns
    total, is_exact = await _total(ctx, wanted, until_ns)
    body = AuditLogsBody(
        audit_logs=[audit_body(record) for record in found],
        total=total,
        limit=limit,
        offset=offset,
        has_more=next_ns is not None,
        total_is_estimate=UNSET if is_exact else True,
        cursor=found[-1].id if found and next_ns is not None else UNSET,
    )
    return Response(200, _encode(body))


@route(
    "GET /api/v1/audit-logs/export",
    needs="audit:read",
    errors=(ValidationFailed, Forbidden, Stale),
    tag="Audit",
    query=_FILTERS,
)
async def export_audit_logs(request: Request, ctx: EdgeContext) -> Response:
    """All records, newest first, each as a line of JSON."""
    wanted, until_ns = _wanted(request)
    await ctx.await_index(request)
    return Response(
        200,
        content_type=b"application/x-ndjson",
        headers=[(b"cache-control", b"no-store")],
        stream=_lines(ctx, wanted, until_ns),
    )


async def _lines(ctx: EdgeContext, wanted: AuditFilter, until_ns: int) -> AsyncIterator[bytes]:
    """Only as much is read ahead as its reader takes. Records that come meanwhile are not part of it."""
    next_ns: int | None = until_ns
    while next_ns is not None:
        page = await _ask(ctx, wanted, next_ns, _LOOK_AT)
        if page.records:
            yield b"".join([audit_line(record) + b"\n" for record in page.records])
        next_ns = page.before_ns


async def _ask(ctx: EdgeContext, wanted: AuditFilter, before_ns: int, count: int) -> AuditFound:
    found: AuditFound = await ctx.ask(ctx.actors.fsm, FindAudit(wanted, before_ns, count, _LOOK_AT))
    return found


async def _total(ctx: EdgeContext, wanted: AuditFilter, until_ns: int) -> tuple[int, bool]:
    """How many there are in all, and whether that is exact."""
    page = await _ask(ctx, wanted, until_ns, _LOOK_AT)
    if wanted.is_plain and until_ns == _END_NS:
        return page.held, True
    total, looked_at = len(page.records), _LOOK_AT
    while page.before_ns is not None and looked_at < _COUNTED_MAX:
        page = await _ask(ctx, wanted, page.before_ns, _LOOK_AT)
        total += len(page.records)
        looked_at += _LOOK_AT
    return total, page.before_ns is None


# What is asked for


def _wanted(request: Request) -> tuple[AuditFilter, int]:
    """Which records, and up to when."""
    query = request.query
    since, until = query.get("since"), query.get("until")
    wanted = AuditFilter(
        namespace=_namespace(request),
        principal=query.get("principal") or None,
        method=(query.get("method") or "").upper() or None,
        path_prefix=query.get("path_prefix") or None,
        since_ns=max(0, parse_time_ns(since, "since")) if since else 0,
    )
    return wanted, max(0, parse_time_ns(until, "until")) if until else _END_NS


def _namespace(request: Request) -> str | None:
    """The namespace whose records the caller may see, and wants to; None for all."""
    principal = request.principal
    if principal.scope:
        raise Forbidden(f"{principal.name} may touch some queues only; the audit log is not kept by queue")
    asked = request.query.get("namespace") or None
    if asked is not None and asked != ALL and not is_namespace(asked):
        raise ValidationFailed(f"namespace: {asked[:80]!r} is not a namespace")
    if principal.namespace == ALL and b"x-corvo-namespace" not in request.headers:
        return asked
    if asked not in (None, request.namespace):
        raise Forbidden(f"only records of the namespace {request.namespace} can be seen here")
    return request.namespace


def _start(request: Request, until_ns: int) -> int:
    cursor = request.query.get("cursor")
    if not cursor:
        return until_ns
    before_ns = time_of_id(cursor)
    if before_ns is None:
        raise ValidationFailed("cursor: this is not a cursor of the audit log; leave it out to start anew")
    return min(before_ns, until_ns)


def _number(request: Request, name: str, default: int, *, least: int, most: int) -> int:
    value = request.int_query(name, default, least=-1, most=most)
    if value < least:
        raise ValidationFailed(f"{name} is at least {least}")
    return value
