"""Worker ops: from what a worker says to the op it means, by single request, batch and stream alike."""

import msgspec
from msgspec import UNSET, Raw, UnsetType

from corvo.core.errors import ValidationFailed
from corvo.core.limits import BACKTRACE_BYTES_MAX, ERROR_TEXT_BYTES_MAX
from corvo.core.times import parse_duration_ms
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES
from corvo.http.api.schema import worker as schema
from corvo.http.api.schema.enqueue import json_bytes
from corvo.http.serve.context import EdgeContext
from corvo.http.wire.message import Request
from corvo.ops.finish import Ack, Fail
from corvo.ops.lease import Beat, Heartbeat, Release


def ack_op(
    job_id: str, body: schema.AckRequest, request: Request, ctx: EdgeContext, *, alone: bool = False
) -> Ack:
    """`alone` says that the request is about this job only, so the token may be in its header."""
    status = (body.ack_status or "done").lower()
    if status not in ("done", "hold"):
        raise ValidationFailed(f"ack_status: {status[:40]!r} is not one of done, hold")
    if (body.agent_status or "done").lower() != "done":
        # The client asks for anything but an end, so to complete the job would be the worst answer.
        raise ValidationFailed("agent_status: the job is no agent job; to hold it, send ack_status hold")
    step_status = (body.step_status or "continue").lower()
    if step_status not in ("continue", "exit"):
        raise ValidationFailed(f"step_status: {step_status[:40]!r} is not one of continue, exit")
    most = ctx.config.max_payload_size
    return Ack(
        job_id=job_id,
        token=_token(body.lease_token, request if alone else None, ctx),
        result=json_bytes(body.result, "result", most),
        checkpoint=json_bytes(body.checkpoint, "checkpoint", most),
        hold=status == "hold",
        hold_reason=body.hold_reason,
        leave_chain=step_status == "exit",
        exit_reason=body.exit_reason,
        reach=request.reach,
    )


def fail_op(
    job_id: str, body: schema.FailRequest, request: Request, ctx: EdgeContext, *, alone: bool = False
) -> Fail:
    return Fail(
        job_id=job_id,
        token=_token(body.lease_token, request if alone else None, ctx),
        error=_cut(body.error or "", ERROR_TEXT_BYTES_MAX),
        backtrace=_cut(body.backtrace, BACKTRACE_BYTES_MAX) if body.backtrace else None,
        retry=body.retry is not False,
        retry_after_ms=parse_duration_ms(body.retry_after, "retry_after") if body.retry_after else None,
        jitter=ctx.random.uniform(-1.0, 1.0),
        reach=request.reach,
    )


def _cut(text: str, most_bytes: int) -> str:
    """Error texts are cut, not refused: the report of a failure must not fail."""
    data = text.encode()
    return text if len(data) <= most_bytes else data[:most_bytes].decode(errors="ignore")


def release_op(
    job_id: str, body: schema.ReleaseRequest, request: Request, ctx: EdgeContext, *, alone: bool = False
) -> Release:
    return Release(
        job_id=job_id,
        token=_token(body.lease_token, request if alone else None, ctx),
        checkpoint=json_bytes(body.checkpoint, "checkpoint", ctx.config.max_payload_size),
        delay_ms=parse_duration_ms(body.delay, "delay") if body.delay else 0,
        reach=request.reach,
    )


def _token(given: str | int | None, request: Request | None, ctx: EdgeContext) -> int | None:
    header = None if request is None else request.header(b"x-corvo-lease-token")
    return schema.lease_token(given, header, required=ctx.config.require_lease_token)


def heartbeat_op(body: schema.HeartbeatRequest, request: Request, ctx: EdgeContext) -> Heartbeat:
    beats = [_beat(job_id, beat, as_text, ctx) for job_id, beat, as_text in schema.beats(body)]
    return Heartbeat(beats, request.reach)


def _beat(job_id: str, beat: schema.BeatRequest, as_text: bool, ctx: EdgeContext) -> Beat:
    most = ctx.config.max_payload_size
    return Beat(
        job_id=job_id,
        token=_token(beat.lease_token, None, ctx),
        progress=json_bytes(_unwrap(beat.progress, as_text), "progress", most),
        checkpoint=json_bytes(_unwrap(beat.checkpoint, as_text), "checkpoint", most),
    )


def _unwrap(raw: Raw | UnsetType, as_text: bool) -> Raw | UnsetType:
    """One client sends its JSON inside a JSON string; what does not parse was meant as a string."""
    if not as_text or raw is UNSET or bytes(raw)[:1] != b'"':
        return raw
    inner = msgspec.json.decode(raw, type=str).encode()
    try:
        msgspec.json.decode(inner, type=Raw)
    except (msgspec.DecodeError, RecursionError):
        return raw
    return Raw(inner)


# Sizes


def ack_size(op: Ack) -> int:
    return OP_OVERHEAD_BYTES + len(op.result or b"") + len(op.checkpoint or b"")


def fail_size(op: Fail) -> int:
    return OP_OVERHEAD_BYTES + len(op.error) + len(op.backtrace or "")


def release_size(op: Release) -> int:
    return OP_OVERHEAD_BYTES + len(op.checkpoint or b"")


def heartbeat_size(op: Heartbeat) -> int:
    return sum(OP_OVERHEAD_BYTES + len(b.progress or b"") + len(b.checkpoint or b"") for b in op.beats)
