"""A bulk task: one action for many jobs, in steps, that survives a restart."""

import enum
from typing import Final

import msgspec

from corvo.core.access.audit import AuditPlace
from corvo.core.namespace import Qualified, Reach
from corvo.core.priority import Priority


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

#: Jobs per step. A step is one entry, and other writes wait while it is applied.
STEP_JOBS_MAX: Final = 500
#: A task with a pace takes about this many steps a second, so that it goes evenly.
_STEPS_PER_S: Final = 4

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
    queue: Qualified | None
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
    #: Of tasks that look for their jobs themselves: the search as JSON, how far it has come, and how many
    #: it was expected to find.
    filter: bytes | None = None
    cursor: str | None = None
    expected: int = 0
    #: Why it failed.
    error: str | None = None
    #: What the one who asked for it may touch: jobs beyond that do not exist for it.
    reach: Reach | None = None
    #: What a task deletes that is not about single jobs.
    namespace: str | None = None
    #: The principal that asked for it; empty if nobody knows.
    by: str = ""
    #: The audit record that will say how many jobs it changed.
    record: AuditPlace | None = None


def step_jobs(rate: int | None) -> int:
    """How many jobs a step has."""
    return STEP_JOBS_MAX if rate is None else min(STEP_JOBS_MAX, max(1, rate // _STEPS_PER_S))


_decoder: Final = msgspec.msgpack.Decoder(BulkTask)
encode_bulk = msgspec.msgpack.Encoder().encode
decode_bulk = _decoder.decode
_ids_decoder: Final = msgspec.msgpack.Decoder(list[str])
decode_ids = _ids_decoder.decode
encode_ids = msgspec.msgpack.Encoder().encode
