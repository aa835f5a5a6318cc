"""A bulk task: one action for many jobs, in steps, that survives a restart."""

import enum
from typing import Final

import msgspec

from corvo.core.job import Priority


class BulkStatus(enum.IntEnum):
    QUEUED = 0  # its ids are still being written down
    RUNNING = 1
    COMPLETED = 2
    FAILED = 3
    CANCELLED = 4

    @property
    def label(self) -> str:
        return self.name.lower()


ENDED: Final = frozenset({BulkStatus.COMPLETED, BulkStatus.FAILED, BulkStatus.CANCELLED})

#: Failures a task lists one by one; of the others it only counts how many there were.
FAILURES_KEPT: Final = 100


class BulkFailure(msgspec.Struct, array_like=True, frozen=True, gc=False):
    job_id: str
    code: str
    message: str


class BulkTask(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: str
    #: The number of a corvo.ops.job_admin.Action.
    action: int
    queue: str | None
    priority: Priority | None
    reason: str | None
    #: Jobs per second; None for as fast as it goes.
    rate: int | None
    created_ns: int
    updated_ns: int
    status: BulkStatus = BulkStatus.QUEUED
    #: Steps written down, and steps done.
    chunks: int = 0
    next_chunk: int = 0
    total: int = 0
    processed: int = 0
    affected: int = 0
    skipped: int = 0
    failures: tuple[BulkFailure, ...] = ()
    finished_ns: int | None = None


_decoder: Final = msgspec.msgpack.Decoder(BulkTask)
encode_bulk = msgspec.msgpack.Encoder().encode
decode_bulk = _decoder.decode
_ids_decoder: Final = msgspec.msgpack.Decoder(list[str])
decode_ids = _ids_decoder.decode
encode_ids = msgspec.msgpack.Encoder().encode
