"""Bodies of the batch endpoints (docs/reference/flows.md)."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from corvo.core.batch import Batch
from corvo.core.namespace import name_of
from corvo.core.times import format_time_ns
from corvo.http.api.schema.job import JobBody


class BatchCreated(msgspec.Struct):
    batch_id: str


class BatchSealedBody(msgspec.Struct, omit_defaults=True):
    status: str
    callback_job: JobBody | UnsetType = UNSET


class BatchBody(msgspec.Struct, omit_defaults=True):
    id: str
    total: int
    pending: int
    succeeded: int
    failed: int
    sealed: bool
    created_at: str
    callback_queue: str | UnsetType = UNSET
    callback_payload: Any = UNSET
    callback_job_id: str | UnsetType = UNSET
    ended_at: str | UnsetType = UNSET


class BatchListBody(msgspec.Struct, omit_defaults=True):
    batches: list[BatchBody]
    has_more: bool
    cursor: str | UnsetType = UNSET


def batch_body(batch: Batch) -> BatchBody:
    return BatchBody(
        id=batch.id,
        total=batch.total,
        pending=batch.pending,
        succeeded=batch.succeeded,
        failed=batch.failed,
        sealed=batch.sealed,
        created_at=format_time_ns(batch.created_ns),
        callback_queue=name_of(batch.callback_queue) if batch.callback_queue else UNSET,
        callback_payload=UNSET if batch.callback_payload is None else Raw(batch.callback_payload),
        callback_job_id=batch.callback_job_id or UNSET,
        ended_at=UNSET if batch.ended_ns is None else format_time_ns(batch.ended_ns),
    )
