"""Ops that make new jobs."""

from collections.abc import Iterable

import msgspec

from corvo.core.backoff import Backoff
from corvo.core.job import Chain, DependencyFailure, Unique
from corvo.core.namespace import DEFAULT, Qualified
from corvo.core.priority import Priority
from corvo.ops.base import Op, op


class NewFlow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How a new job hangs together with others."""

    batch_id: str | None = None
    chain_id: str | None = None
    chain: Chain | None = None
    depends_on: tuple[str, ...] = ()
    on_dependency_failure: DependencyFailure = DependencyFailure.FAIL
    #: Dependencies that are not known count as completed, instead of being refused.
    allow_missing: bool = False


class NewBatch(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A batch that is made together with its jobs."""

    batch_id: str
    callback_queue: Qualified | None
    callback_payload: bytes | None
    namespace: str = DEFAULT


class NewJob(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A job as its producer described it, with the id it will have."""

    job_id: str
    queue: Qualified
    payload: bytes
    priority: Priority
    max_retries: int
    backoff: Backoff
    retry_base_ms: int
    retry_max_ms: int
    retry_jitter: float
    unique: Unique | None
    scheduled_ns: int | None
    expire_after_ms: int | None
    tags: dict[str, str] | None
    checkpoint: bytes | None
    parent_id: str | None
    group: str | None
    flow: NewFlow | None = None


@op
class Enqueue(Op, frozen=True, tag=1):
    job: NewJob


@op
class EnqueueMany(Op, frozen=True, tag=2):
    """All of them or none."""

    jobs: list[NewJob]
    batch: NewBatch | None = None


def job_count(ops: Iterable[Op]) -> int:
    """How many jobs these ops are about: EnqueueMany counts its jobs, any other op counts as one."""
    count = 0
    for each in ops:
        count += len(each.jobs) if type(each) is EnqueueMany else 1
    return count


def jobs_coming(ops: Iterable[Op]) -> dict[Qualified, int]:
    """How many jobs these would bring to each queue that could be handed out at once."""
    coming: dict[Qualified, int] = {}
    for each in ops:
        jobs = [each.job] if isinstance(each, Enqueue) else each.jobs if isinstance(each, EnqueueMany) else ()
        for job in jobs:
            if job.scheduled_ns is None and (job.flow is None or not job.flow.depends_on):
                coming[job.queue] = coming.get(job.queue, 0) + 1
    return coming
