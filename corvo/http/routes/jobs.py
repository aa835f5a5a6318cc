"""Single jobs. Read from the state machine's own store, so always current."""

import msgspec

from corvo.actors.messages import (
    Explained,
    ExplainJob,
    FindJob,
    FindJobs,
    JobFound,
    JobsFound,
    ListWorkers,
    WorkersListed,
)
from corvo.actors.throughput import GetRates, RatesFound
from corvo.actors.waiting_room import AwaitEnd
from corvo.core.errors import NotFound, ParseError, Stale, ValidationFailed
from corvo.core.limits import BULK_GET_IDS_MAX
from corvo.http.context import Context
from corvo.http.decode import decode
from corvo.http.message import Request, Response
from corvo.http.route import route
from corvo.http.routes.waiting import wait_ms
from corvo.http.schema.job import JobBody, job_body
from corvo.http.schema.jobs import BulkGetRequest, BulkGetResponse, ExplainBody, explain_body
from corvo.http.schema.workers import merge

_encode = msgspec.json.Encoder().encode


@route(
    "GET /api/v1/jobs/{job_id}",
    needs="jobs:read",
    returns=JobBody,
    errors=(NotFound, Stale, ValidationFailed),
    hot=True,
    query={"wait": "Answer when the job has ended, or after this time, such as 30s."},
)
async def get_job(request: Request, ctx: Context) -> Response:
    """Everything about one job, its errors included; with `wait`, as soon as it has ended."""
    await ctx.await_index(request)
    job_id, patience_ms = request.params["job_id"], wait_ms(request)
    found: JobFound
    if patience_ms:
        found = await ctx.ask_patiently(ctx.actors.room, AwaitEnd(job_id, patience_ms), patience_ms)
    else:
        found = await ctx.ask(ctx.actors.fsm, FindJob(job_id))
    return Response(200, _encode(job_body(found.job, found.payload, found.errors)))


@route(
    "POST /api/v1/jobs/bulk-get",
    needs="jobs:read",
    body=BulkGetRequest,
    returns=BulkGetResponse,
    errors=(ParseError, ValidationFailed, Stale),
    hot=True,
)
async def bulk_get(request: Request, ctx: Context) -> Response:
    """Up to 1,000 jobs by id, in the order asked; missing ones are left out."""
    job_ids = decode(request.body, BulkGetRequest).job_ids or []
    if len(job_ids) > BULK_GET_IDS_MAX:
        raise ValidationFailed(f"job_ids holds {len(job_ids)} ids; at most {BULK_GET_IDS_MAX} fit")
    await ctx.await_index(request)
    found: JobsFound = await ctx.ask(ctx.actors.fsm, FindJobs(job_ids))
    bodies = [job_body(whole.job, whole.payload, whole.errors) for whole in found.jobs]
    return Response(200, _encode(BulkGetResponse(bodies)))


@route(
    "GET /api/v1/jobs/{job_id}/explain",
    needs="jobs:read",
    returns=ExplainBody,
    errors=(NotFound, Stale),
)
async def explain(request: Request, ctx: Context) -> Response:
    """Why a job is not running: everything that stands between it and a worker."""
    await ctx.await_index(request)
    explained: Explained = await ctx.ask(ctx.actors.fsm, ExplainJob(request.params["job_id"]))
    stored: WorkersListed = await ctx.ask(ctx.actors.fsm, ListWorkers())
    polling: WorkersListed = await ctx.ask(ctx.actors.desk, ListWorkers())
    rates: RatesFound = await ctx.ask(ctx.actors.throughput, GetRates())
    body = explain_body(
        explained,
        merge(stored.workers, polling.workers),
        rates.by_queue.get(explained.job.queue),
        ctx.clock.now_ns(),
    )
    return Response(200, _encode(body))
