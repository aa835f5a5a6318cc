"""Batches: jobs that belong together, and a callback when all have ended."""

import msgspec
from msgspec import UNSET

from corvo.actors.state.questions import BatchesListed, BatchFound, FindBatch, ListBatches
from corvo.core.errors import NotFound, Stale, ValidationFailed
from corvo.core.ids import made_ms
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS, maker_of
from corvo.http.api.schema.batches import (
    BatchBody,
    BatchCreated,
    BatchListBody,
    BatchSealedBody,
    batch_body,
)
from corvo.http.api.schema.enqueue import CallbackRequest, new_batch
from corvo.http.api.schema.job import job_body
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.flow import OpenBatch, SealBatch
from corvo.ops.results import BatchOpened, BatchSealed

_encode = msgspec.json.Encoder().encode


@route(
    "POST /api/v1/batch",
    needs="batch:write",
    body=CallbackRequest,
    returns=BatchCreated,
    status=201,
    errors=WRITE_ERRORS,
    tag="Batches",
)
def open_batch(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Open a batch; jobs join it by `batch_id` until it is sealed."""
    new = new_batch(decode(request, CallbackRequest), maker_of(request, ctx))
    op = OpenBatch(new.batch_id, new.callback_queue, new.callback_payload, new.namespace)
    size = OP_OVERHEAD_BYTES + len(new.callback_payload or b"")
    return WriteIntent((op,), size, _opened)


def _opened(written: Written) -> Response:
    opened = written.result
    assert isinstance(opened, BatchOpened)
    return written.response(201, _encode(BatchCreated(opened.batch_id)))


@route(
    "POST /api/v1/batch/{batch_id}/seal",
    needs="batch:write",
    returns=BatchSealedBody,
    errors=(*WRITE_ERRORS, NotFound),
    tag="Batches",
)
def seal_batch(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Close a batch to new jobs. If all its jobs have ended, the callback is made now and returned."""
    return WriteIntent(
        (SealBatch(request.params["batch_id"], request.namespace),), OP_OVERHEAD_BYTES, _sealed
    )


def _sealed(written: Written) -> Response:
    sealed = written.result
    assert isinstance(sealed, BatchSealed)
    whole = sealed.callback
    callback = UNSET if whole is None else job_body(whole.job, whole.payload)
    return written.response(200, _encode(BatchSealedBody("sealed", callback)))


@route(
    "GET /api/v1/batches",
    needs="batch:read",
    returns=BatchListBody,
    errors=(ValidationFailed, Stale),
    tag="Batches",
    query={"limit": "At most this many, up to 200.", "cursor": "From the page before."},
)
async def list_batches(request: Request, ctx: EdgeContext) -> Response:
    """Batches, newest first."""
    await ctx.await_index(request)
    limit = request.int_query("limit", 50, least=1, most=200)
    question = ListBatches(_before(request), limit, request.reach)
    listed: BatchesListed = await ctx.ask(ctx.actors.fsm, question)
    body = BatchListBody([batch_body(batch) for batch in listed.batches], listed.has_more)
    if listed.has_more:
        body.cursor = listed.batches[-1].id
    return Response(200, _encode(body))


def _before(request: Request) -> str | None:
    cursor = request.query.get("cursor") or None
    if cursor is not None:
        try:
            made_ms(cursor)
        except ValueError:
            raise ValidationFailed("cursor is none of this list") from None
    return cursor


@route(
    "GET /api/v1/batch/{batch_id}",
    needs="batch:read",
    returns=BatchBody,
    errors=(NotFound, Stale),
    tag="Batches",
)
async def get_batch(request: Request, ctx: EdgeContext) -> Response:
    """How a batch is doing."""
    await ctx.await_index(request)
    found: BatchFound = await ctx.ask(ctx.actors.fsm, FindBatch(request.params["batch_id"], request.reach))
    return Response(200, _encode(batch_body(found.batch)))
