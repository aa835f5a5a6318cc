"""One exchange as clients of the older RPC speak it: camel case, JSON as text."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from corvo.core.errors import ParseError
from corvo.core.limits import ACK_BATCH_ITEMS_MAX, FETCH_BATCH_JOBS_MAX
from corvo.http.api.schema.enqueue import EnqueueRequest
from corvo.http.api.schema.stream import STREAM_ENQUEUES_MAX, StreamAnswer, StreamLine
from corvo.http.api.schema.worker import AckItem, FetchedJob, JobId

_encode = msgspec.json.Encoder().encode


class RpcAck(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    job_id: JobId | None = None
    result_json: str | None = None


class RpcEnqueue(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    queue: str | None = None
    payload_json: str | None = None


class RpcRequest(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    request_id: int = 0
    queues: list[str] | None = None
    worker_id: str | None = None
    hostname: str | None = None
    lease_duration: Annotated[int, Meta(ge=0, le=3_600)] | None = None
    fetch_count: Annotated[int, Meta(ge=0, le=FETCH_BATCH_JOBS_MAX)] | None = None
    acks: Annotated[list[RpcAck], Meta(max_length=ACK_BATCH_ITEMS_MAX)] | None = None
    enqueues: Annotated[list[RpcEnqueue], Meta(max_length=STREAM_ENQUEUES_MAX)] | None = None


class RpcJob(msgspec.Struct, rename="camel", omit_defaults=True):
    job_id: str
    queue: str
    payload_json: str
    attempt: int
    max_retries: int
    lease_duration: int
    checkpoint_json: str | UnsetType = UNSET
    tags_json: str | UnsetType = UNSET


class RpcAnswer(msgspec.Struct, rename="camel", omit_defaults=True):
    request_id: int
    jobs: list[RpcJob]
    acked: int
    enqueued_job_ids: list[str]
    error: str | UnsetType = UNSET
    leader_addr: str | UnsetType = UNSET


def line_of(request: RpcRequest) -> StreamLine:
    """The request as a line of the stream."""
    return StreamLine(
        request_id=request.request_id,
        queues=request.queues,
        worker_id=request.worker_id,
        hostname=request.hostname,
        lease_duration=request.lease_duration or None,
        fetch_count=request.fetch_count,
        acks=[
            AckItem(job_id=ack.job_id, result=_raw(ack.result_json, "resultJson"))
            for ack in request.acks or ()
        ],
        enqueues=[
            EnqueueRequest(queue=new.queue, payload=_raw(new.payload_json, "payloadJson"))
            for new in request.enqueues or ()
        ],
    )


def _raw(text: str | None, name: str) -> Raw | UnsetType:
    if not text:
        return UNSET
    try:
        msgspec.json.decode(text, type=Raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ParseError(f"{name} is not JSON: {error}") from None
    return Raw(text.encode())


def answer_of(answer: StreamAnswer) -> RpcAnswer:
    assert isinstance(answer.request_id, int)
    return RpcAnswer(
        request_id=answer.request_id,
        jobs=[_job(job) for job in answer.jobs or ()],
        acked=answer.acked or 0,
        enqueued_job_ids=answer.enqueued_job_ids or [],
    )


def _job(job: FetchedJob) -> RpcJob:
    return RpcJob(
        job_id=job.job_id,
        queue=job.queue,
        payload_json=bytes(job.payload).decode(),
        attempt=job.attempt,
        max_retries=job.max_retries,
        lease_duration=job.lease_duration,
        checkpoint_json=UNSET if job.checkpoint is UNSET else bytes(job.checkpoint).decode(),
        tags_json=_encode(job.tags).decode() if job.tags else UNSET,
    )
