"""Enqueue: producers add jobs, one by one or in batches."""

from functools import partial

import msgspec
from msgspec import UNSET

from corvo.actors.fetch.messages import AwaitEnd
from corvo.actors.kernel.api import ActorCrashed, ActorStopped, MailboxFull
from corvo.actors.state.questions import JobFound
from corvo.core.errors import CorvoError, NotFound
from corvo.core.namespace import ANYWHERE, name_of
from corvo.http.api.routes.waiting import wait_ms
from corvo.http.api.routes.writing import QUOTA_ERRORS, WRITE_ERRORS, job_size, maker_of
from corvo.http.api.schema import enqueue as schema
from corvo.http.api.schema.job import job_body
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewJob
from corvo.ops.results import Enqueued, EnqueuedMany

_encode = msgspec.json.Encoder().encode


@route(
    "POST /api/v1/enqueue",
    needs="enqueue:write",
    body=schema.EnqueueOrBatchRequest,
    returns=schema.EnqueueResponse,
    status=201,
    also=(200,),
    errors=(*WRITE_ERRORS, *QUOTA_ERRORS),
    needs_room=True,
    tag="Producers",
    query={"wait": "Answer when the job has ended, or after this time, such as 30s."},
    hot=True,
)
def enqueue(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Add one job to a queue.

    Answers 201 with the job, or 200 with the id of the job that holds the unique lock. With `jobs` it is a
    batch, as `/enqueue/batch`. With `?wait=30s` it answers when the job has ended, with its result, or after
    the wait with the state it is in.
    """
    body = decode(request, schema.EnqueueOrBatchRequest)
    schema.set_time(body, ctx.clock.now_ns())
    return enqueue_one(request, ctx, body) if body.jobs is None else _enqueue_many(request, ctx, body)


def enqueue_one(request: Request, ctx: EdgeContext, body: schema.EnqueueRequest) -> WriteIntent:
    new = schema.new_job(body, maker_of(request, ctx))
    # Looked at before anything is written: a request that is refused has no effect.
    patience_ms = wait_ms(request) if request.query else 0
    if patience_ms:
        ended = partial(_ended, new, ctx, patience_ms)
        return WriteIntent((Enqueue(new),), job_size(new), ended, waits=True)
    return WriteIntent((Enqueue(new),), job_size(new), partial(_enqueued, new))


def _enqueued(new: NewJob, written: Written) -> Response:
    answer = _answer(new, written.result)
    return written.response(200 if answer.unique_existing else 201, _encode(answer))


def _answer(new: NewJob, result: Enqueued) -> schema.EnqueueResponse:
    assert isinstance(result, Enqueued)
    job = result.job
    if job is None:
        return schema.EnqueueResponse(
            job_id=result.job_id, status="duplicate", unique_existing=True, unique_job_id=result.job_id
        )
    return schema.EnqueueResponse(
        job_id=job.id, status=job.state.label, unique_existing=False, job=job_body(job, new.payload)
    )


async def _ended(new: NewJob, ctx: EdgeContext, patience_ms: int, written: Written) -> Response:
    answer = _answer(new, written.result)
    await _await_end(answer, ctx, patience_ms)
    return written.response(200 if answer.unique_existing else 201, _encode(answer))


async def _await_end(answer: schema.EnqueueResponse, ctx: EdgeContext, patience_ms: int) -> None:
    """Put in the job as it is when it has ended, or after the wait."""
    # The job is the client's own, or holds the unique key in a queue it may write to.
    question = AwaitEnd(answer.job_id, patience_ms, ANYWHERE)
    try:
        found: JobFound = await ctx.ask_patiently(ctx.actors.job_wait, question, patience_ms)
    except NotFound:
        # It was deleted meanwhile. It was enqueued all the same, so this is no error.
        answer.job = UNSET
        state = "deleted"
    except (CorvoError, MailboxFull, ActorCrashed, ActorStopped, TimeoutError):
        # It could not be watched. It was enqueued all the same; an error would have it enqueued once more.
        return
    else:
        answer.job = job_body(found.job, found.payload, found.errors)
        state = answer.job.state
    if not answer.unique_existing:
        answer.status = state


@route(
    "POST /api/v1/enqueue/batch",
    needs="enqueue:write",
    body=schema.EnqueueBatchRequest,
    returns=schema.EnqueueBatchResponse,
    status=201,
    errors=(*WRITE_ERRORS, *QUOTA_ERRORS),
    needs_room=True,
    tag="Producers",
    hot=True,
)
def enqueue_batch(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Add up to 10,000 jobs, all or none; with `batch`, a callback job follows when all have ended."""
    return _enqueue_many(request, ctx, decode(request, schema.EnqueueBatchRequest))


def _enqueue_many(
    request: Request, ctx: EdgeContext, body: schema.EnqueueBatchRequest | schema.EnqueueOrBatchRequest
) -> WriteIntent:
    ctx.charge(request, len(body.jobs or ()) - 1)
    maker = maker_of(request, ctx)
    schema.set_times(body.jobs, ctx.clock.now_ns())
    new = schema.new_jobs(body.jobs, maker)
    batch = None if body.batch is None else schema.new_batch(body.batch, maker)
    return WriteIntent((EnqueueMany(new, batch),), sum(map(job_size, new)), _enqueued_many)


def _enqueued_many(written: Written) -> Response:
    result = written.result
    assert isinstance(result, EnqueuedMany)
    items = [
        schema.BatchItem(item.job_id, name_of(item.queue), item.state.label, unique_existing=item.duplicate)
        for item in result.items
    ]
    answer = schema.EnqueueBatchResponse(
        job_ids=[item.id for item in items], jobs=items, batch_id=result.batch_id or UNSET
    )
    return written.response(201, _encode(answer))
