"""Producers: jobs come in."""

import msgspec
from msgspec import UNSET, UnsetType

from corvo.actors.messages import JobFound
from corvo.actors.waiting_room import AwaitEnd
from corvo.http.context import Context
from corvo.http.decode import decode
from corvo.http.message import Request, Response
from corvo.http.route import route
from corvo.http.routes.waiting import wait_ms
from corvo.http.routes.worker_ops import job_size
from corvo.http.routes.writing import WRITE_ERRORS
from corvo.http.schema import enqueue as schema
from corvo.http.schema.job import JobBody, job_body
from corvo.ops.enqueue import Enqueue, EnqueueMany
from corvo.ops.results import Enqueued, EnqueuedMany

_encode = msgspec.json.Encoder().encode


@route(
    "POST /api/v1/enqueue",
    needs="enqueue:write",
    body=schema.EnqueueOrBatchRequest,
    returns=schema.EnqueueResponse,
    status=201,
    also=(200,),
    errors=WRITE_ERRORS,
    hot=True,
    tag="Producers",
    query={"wait": "Answer when the job has ended, or after this time, such as 30s."},
)
async def enqueue(request: Request, ctx: Context) -> Response:
    """Add one job to a queue.

    Answers 201 with the job, or 200 with the id of the job that holds the unique lock. With `jobs` it is a
    batch, as `/enqueue/batch`. With `?wait=30s` it answers when the job has ended, with its result, or after
    the wait with the state it is in.
    """
    body = decode(request.body, schema.EnqueueOrBatchRequest)
    if body.jobs is not None:
        return await _enqueue_many(request, ctx, body.jobs, body.batch)
    return await enqueue_one(request, ctx, body)


async def enqueue_one(request: Request, ctx: Context, body: schema.EnqueueRequest) -> Response:
    new = schema.new_job(body, ctx.ids.new, ctx.config.max_payload_size)
    result, written = await ctx.submit_one(request, Enqueue(new), job_size(new))
    assert isinstance(result, Enqueued)
    if result.job is None:
        answer = schema.EnqueueResponse(
            job_id=result.job_id, status="duplicate", unique_existing=True, unique_job_id=result.job_id
        )
        answer.job = await _ended(request, ctx, result.job_id)
        return written.response(200, _encode(answer))
    job = result.job
    answer = schema.EnqueueResponse(
        job_id=job.id, status=job.state.label, unique_existing=False, job=job_body(job, new.payload)
    )
    ended = await _ended(request, ctx, job.id)
    if ended is not UNSET:
        answer.job = ended
        answer.status = ended.state
    return written.response(201, _encode(answer))


async def _ended(request: Request, ctx: Context, job_id: str) -> JobBody | UnsetType:
    """The job when it has ended, or after the wait that was asked for; nothing if none was."""
    if not request.query.get("wait"):
        return UNSET
    patience_ms = wait_ms(request)
    found: JobFound = await ctx.ask_patiently(ctx.actors.room, AwaitEnd(job_id, patience_ms), patience_ms)
    return job_body(found.job, found.payload, found.errors)


@route(
    "POST /api/v1/enqueue/batch",
    needs="enqueue:write",
    body=schema.EnqueueBatchRequest,
    returns=schema.EnqueueBatchResponse,
    status=201,
    errors=WRITE_ERRORS,
    hot=True,
    tag="Producers",
)
async def enqueue_batch(request: Request, ctx: Context) -> Response:
    """Add up to 10,000 jobs, all or none; with `batch`, a callback job follows when all have ended."""
    body = decode(request.body, schema.EnqueueBatchRequest)
    return await _enqueue_many(request, ctx, body.jobs, body.batch)


async def _enqueue_many(
    request: Request,
    ctx: Context,
    jobs: list[schema.EnqueueRequest] | None,
    callback: schema.CallbackRequest | None,
) -> Response:
    payload_max = ctx.config.max_payload_size
    new = schema.new_jobs(jobs, ctx.ids.new, payload_max)
    batch = None if callback is None else schema.new_batch(callback, ctx.ids.new, payload_max)
    result, written = await ctx.submit_one(request, EnqueueMany(new, batch), sum(map(job_size, new)))
    assert isinstance(result, EnqueuedMany)
    items = [
        schema.BatchItem(item.job_id, item.queue, item.state.label, unique_existing=item.duplicate)
        for item in result.items
    ]
    answer = schema.EnqueueBatchResponse(
        job_ids=[item.id for item in items], jobs=items, batch_id=result.batch_id or UNSET
    )
    return written.response(201, _encode(answer))
