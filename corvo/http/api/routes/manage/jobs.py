"""Single jobs. Read from the state machine's own store, so always current."""

import msgspec

from corvo.actors.events.messages import GetRates, RatesFound
from corvo.actors.fetch.messages import AwaitEnd
from corvo.actors.state.questions import (
    Explained,
    ExplainJob,
    FindErrors,
    FindJob,
    FindJobs,
    JobFound,
    JobsFound,
    ListWorkers,
    WorkersListed,
)
from corvo.core.errors import NotFound, ParseError, Stale, ValidationFailed
from corvo.core.limits import BULK_GET_IDS_MAX, JOB_ERRORS_SHOWN_MAX
from corvo.http.api.routes.waiting import wait_ms
from corvo.http.api.schema.job import ErrorsBody, JobBody, errors_body, job_body
from corvo.http.api.schema.jobs import BulkGetRequest, BulkGetResponse, ExplainBody, explain_body
from corvo.http.api.schema.workers import merge
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode

_ERRORS_PAGE_MAX = 1_000
#: More digits than any job has errors.
_CURSOR_CHARS_MAX = 10


@route(
    "GET /api/v1/jobs/{job_id}",
    needs="jobs:read",
    returns=JobBody,
    errors=(NotFound, Stale, ValidationFailed),
    hot=True,
    query={"wait": "Answer when the job has ended, or after this time, such as 30s."},
)
async def get_job(request: Request, ctx: EdgeContext) -> Response:
    """Everything about one job, its last 100 errors included; with `wait`, as soon as it has ended."""
    await ctx.await_index(request)
    job_id, patience_ms = request.params["job_id"], wait_ms(request)
    found: JobFound
    if patience_ms:
        question = AwaitEnd(job_id, patience_ms, request.reach)
        found = await ctx.ask_patiently(ctx.actors.job_wait, question, patience_ms)
    else:
        found = await ctx.ask(ctx.actors.fsm, FindJob(job_id, request.reach))
    return Response(200, _encode(job_body(found.job, found.payload, found.errors)))


@route(
    "GET /api/v1/jobs/{job_id}/errors",
    needs="jobs:read",
    returns=ErrorsBody,
    errors=(NotFound, Stale, ValidationFailed),
    query={"limit": "At most this many, up to 1000.", "cursor": "From the page before."},
)
async def list_errors(request: Request, ctx: EdgeContext) -> Response:
    """All errors of a job, from the newest page to the oldest."""
    before = _before(request)
    limit = request.int_query("limit", JOB_ERRORS_SHOWN_MAX, least=1, most=_ERRORS_PAGE_MAX)
    await ctx.await_index(request)
    question = FindErrors(request.params["job_id"], before, limit, request.reach)
    return Response(200, _encode(errors_body(await ctx.ask(ctx.actors.fsm, question))))


def _before(request: Request) -> int | None:
    cursor = request.query.get("cursor") or None
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _CURSOR_CHARS_MAX):
        raise ValidationFailed("cursor is none of this list")
    return int(cursor)


@route(
    "POST /api/v1/jobs/bulk-get",
    needs="jobs:read",
    body=BulkGetRequest,
    returns=BulkGetResponse,
    errors=(ParseError, ValidationFailed, Stale),
    hot=True,
)
async def bulk_get(request: Request, ctx: EdgeContext) -> Response:
    """Up to 1,000 jobs by id, in the order asked; missing ones are left out."""
    job_ids = decode(request, BulkGetRequest).job_ids or []
    if len(job_ids) > BULK_GET_IDS_MAX:
        raise ValidationFailed(f"job_ids holds {len(job_ids)} ids; at most {BULK_GET_IDS_MAX} fit")
    await ctx.await_index(request)
    found: JobsFound = await ctx.ask(ctx.actors.fsm, FindJobs(job_ids, request.reach))
    bodies = [job_body(whole.job, whole.payload, whole.errors) for whole in found.jobs]
    return Response(200, _encode(BulkGetResponse(bodies)))


@route(
    "GET /api/v1/jobs/{job_id}/explain",
    needs="jobs:read",
    returns=ExplainBody,
    errors=(NotFound, Stale),
)
async def explain(request: Request, ctx: EdgeContext) -> Response:
    """Why a job is not running: everything that stands between it and a worker."""
    await ctx.await_index(request)
    explained: Explained = await ctx.ask(ctx.actors.fsm, ExplainJob(request.params["job_id"], request.reach))
    stored: WorkersListed = await ctx.ask(ctx.actors.fsm, ListWorkers(request.reach))
    polling: WorkersListed = await ctx.ask(ctx.actors.fetch_desk, ListWorkers(request.reach))
    asked = GetRates(request.reach, (explained.job.queue,))
    rates: RatesFound = await ctx.ask(ctx.actors.throughput, asked)
    body = explain_body(
        explained,
        merge(stored.workers, polling.workers),
        rates.by_queue.get(explained.job.queue),
        ctx.clock.now_ns(),
    )
    return Response(200, _encode(body))
