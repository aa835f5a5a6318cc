"""Finish: workers say how an attempt went, by ack or fail."""

from functools import partial

import msgspec

from corvo.core.errors import (
    AckRefused,
    FailRefused,
    LeaseConflict,
    NotFound,
    ParseError,
)
from corvo.http.api.routes.work.worker_answers import ack_result, acked, verdict
from corvo.http.api.routes.work.worker_ops import ack_op, ack_size, fail_op, fail_size
from corvo.http.api.routes.writing import WRITE_ERRORS, time_or_unset, true_or_unset
from corvo.http.api.schema import worker as schema
from corvo.http.api.schema.job import job_body
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.finish import Ack
from corvo.ops.results import Finished

_encode = msgspec.json.Encoder().encode


@route(
    "POST /api/v1/ack/batch",
    needs="ack:write",
    body=schema.AckBatchRequest,
    returns=schema.AckBatchResponse,
    errors=WRITE_ERRORS,
    tag="Workers",
    hot=True,
)
def ack_batch(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Complete up to 512 jobs. Unknown, finished and stale ones are reported, not refused."""
    items = schema.ack_items(decode(request, schema.AckBatchRequest))
    ctx.charge(request, len(items) - 1)
    ops = tuple(ack_op(item.job_id or "", item, request, ctx) for item in items)
    return WriteIntent(ops, sum(map(ack_size, ops)), partial(_acked_batch, ops))


def _acked_batch(ops: tuple[Ack, ...], written: Written) -> Response:
    results = [ack_result(op.job_id, outcome) for op, outcome in zip(ops, written.outcomes, strict=True)]
    return written.response(200, _encode(schema.AckBatchResponse(acked(results), results)))


@route(
    "POST /api/v1/ack/{job_id}",
    needs="ack:write",
    body=schema.AckRequest,
    returns=schema.AckResponse,
    errors=(*WRITE_ERRORS, AckRefused, NotFound, LeaseConflict),
    tag="Workers",
    hot=True,
)
def ack(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Complete a job.

    A repeated ack of the same lease is answered like the first, with `duplicate:true`.
    """
    body = decode(request, schema.AckRequest)
    op = ack_op(request.params["job_id"], body, request, ctx, alone=True)
    return WriteIntent((op,), ack_size(op), _acked)


def _acked(written: Written) -> Response:
    result = written.result
    assert isinstance(result, Finished)
    answer = schema.AckResponse("ok", result.state.label, duplicate=true_or_unset(result.duplicate))
    return written.response(200, _encode(answer))


@route(
    "POST /api/v1/fail/{job_id}",
    needs="fail:write",
    body=schema.FailRequest,
    returns=schema.FailResponse,
    errors=(*WRITE_ERRORS, FailRefused, NotFound, LeaseConflict),
    tag="Workers",
    hot=True,
)
def fail(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Say that an attempt failed.

    The job is tried again after its backoff, or after `retry_after`; with `retry:false`, or when no attempts
    are left, it is dead.
    """
    if not request.body:
        raise ParseError("the body is empty; send at least {}")
    body = decode(request, schema.FailRequest)
    op = fail_op(request.params["job_id"], body, request, ctx, alone=True)
    return WriteIntent((op,), fail_size(op), _failed)


def _failed(written: Written) -> Response:
    result = written.result
    assert isinstance(result, Finished)
    assert result.whole is not None
    status, attempts_remaining = verdict(result)
    answer = schema.FailResponse(
        status=status,
        attempts_remaining=attempts_remaining,
        attempt=result.attempt,
        job=job_body(result.whole.job, result.whole.payload),
        next_attempt_at=time_or_unset(result.next_attempt_ns),
        duplicate=true_or_unset(result.duplicate),
    )
    return written.response(200, _encode(answer))
