"""Workers take jobs, keep them and hand them back: fetch, heartbeat, release."""

from functools import partial

import msgspec

from corvo.actors.fetch.messages import Handed, Wait
from corvo.core.errors import (
    IdempotencyMismatch,
    LeaseConflict,
    NotFound,
    Overloaded,
    ParseError,
    ReleaseRefused,
    SealDamaged,
    SealKeyMissing,
    StorageFull,
    ValidationFailed,
)
from corvo.http.api.routes.work.worker_answers import pulse_body
from corvo.http.api.routes.work.worker_ops import heartbeat_op, heartbeat_size, release_op, release_size
from corvo.http.api.routes.writing import WRITE_ERRORS, time_or_unset, true_or_unset
from corvo.http.api.schema import worker as schema
from corvo.http.serve.access.queue_access import queue_for, worker_for
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.results import Beaten, Finished

_encode = msgspec.json.Encoder().encode

FETCH_ERRORS = (
    ParseError,
    ValidationFailed,
    IdempotencyMismatch,
    Overloaded,
    StorageFull,
    SealKeyMissing,
    SealDamaged,
)


@route(
    "POST /api/v1/fetch",
    needs="fetch:write",
    body=schema.FetchRequest,
    returns=schema.FetchedJob,
    also=(204,),
    errors=FETCH_ERRORS,
    hot=True,
    tag="Workers",
)
async def fetch(request: Request, ctx: EdgeContext) -> Response:
    """Claim one job, waiting for it if there is none.

    Answers 204 when the time is over. Keep `lease_token`: ack, fail and heartbeat with it. Repeated with the
    same `Idempotency-Key`, as when the answer was lost, it gives the same job while its lease lasts.
    """
    handed = await _wait(request, ctx, decode(request, schema.FetchRequest), 1)
    if not handed.jobs:
        return Response(204)
    return _response(handed, _encode(schema.fetched_job(handed.jobs[0])))


@route(
    "POST /api/v1/fetch/batch",
    needs="fetch:write",
    body=schema.FetchBatchRequest,
    returns=schema.FetchBatchResponse,
    errors=FETCH_ERRORS,
    hot=True,
    tag="Workers",
)
async def fetch_batch(request: Request, ctx: EdgeContext) -> Response:
    """Claim up to `count` jobs, waiting for the first if there is none."""
    body = decode(request, schema.FetchBatchRequest)
    count = schema.fetch_count(body)
    ctx.charge(request, count - 1)
    handed = await _wait(request, ctx, body, count)
    answer = schema.FetchBatchResponse([schema.fetched_job(claimed) for claimed in handed.jobs])
    return _response(handed, _encode(answer))


def _response(handed: Handed, body: bytes) -> Response:
    return Written(handed.index, [], handed.replayed).response(200, body)


async def _wait(request: Request, ctx: EdgeContext, body: schema.FetchRequest, count: int) -> Handed:
    wait = Wait(
        wait_id=ctx.new_wait_id(),
        queues=schema.fetch_queues(body, partial(queue_for, request)),
        worker_id=worker_for(request, body.worker_id),
        hostname=body.hostname or "",
        lease_ms=schema.lease_ms(body),
        count=count,
        wait_ms=schema.wait_ms(body),
    )
    return await ctx.wait_for_jobs(request, wait)


@route(
    "POST /api/v1/release/{job_id}",
    needs="release:write",
    body=schema.ReleaseRequest,
    returns=schema.ReleaseResponse,
    errors=(*WRITE_ERRORS, ReleaseRefused, NotFound, LeaseConflict),
    tag="Workers",
    hot=True,
)
def release(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Hand a lease back unfinished.

    The job is pending again, or after `delay`; the attempt does not count.
    """
    body = decode(request, schema.ReleaseRequest)
    op = release_op(request.params["job_id"], body, request, ctx, alone=True)
    return WriteIntent((op,), release_size(op), _released)


def _released(written: Written) -> Response:
    result = written.result
    assert isinstance(result, Finished)
    answer = schema.ReleaseResponse(
        status="released",
        state=result.state.label,
        scheduled_at=time_or_unset(result.next_attempt_ns),
        duplicate=true_or_unset(result.duplicate),
    )
    return written.response(200, _encode(answer))


@route(
    "POST /api/v1/heartbeat",
    needs="heartbeat:write",
    body=schema.HeartbeatRequest,
    returns=schema.HeartbeatResponse,
    errors=WRITE_ERRORS,
    tag="Workers",
    hot=True,
)
def heartbeat(request: Request, ctx: EdgeContext) -> WriteIntent | Response:
    """Keep the leases of a worker's jobs, and learn which of them to drop.

    `cancel` means: stop working on it. `progress` and `checkpoint` replace what was stored.
    """
    op = heartbeat_op(decode(request, schema.HeartbeatRequest), request, ctx)
    if not op.beats:
        return Response(200, _encode(schema.HeartbeatResponse({}, [], [], [])))
    return WriteIntent((op,), heartbeat_size(op), _beaten)


def _beaten(written: Written) -> Response:
    result = written.result
    assert isinstance(result, Beaten)
    answer = schema.HeartbeatResponse({}, [], [], [])
    soonest: int | None = None
    for pulse in result.pulses:
        answer.jobs[pulse.job_id] = pulse_body(pulse)
        if pulse.expires_ns is not None:
            answer.acked.append(pulse.job_id)
            soonest = pulse.expires_ns if soonest is None else min(soonest, pulse.expires_ns)
            continue
        answer.canceled.append(pulse.job_id)
        if pulse.lost == "not_found":
            answer.unknown.append(pulse.job_id)
    answer.lease_expires_at = time_or_unset(soonest)
    return written.response(200, _encode(answer))
