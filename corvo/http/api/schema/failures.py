"""Bodies of GET /failures."""

import msgspec
from msgspec import UNSET, UnsetType

from corvo.actors.mirror.messages import Failures
from corvo.core.job import Job
from corvo.core.namespace import Qualified, name_of
from corvo.core.times import format_time_ns


class FailedJobBody(msgspec.Struct):
    id: str
    queue: str
    state: str
    error: str
    failed_at: str


class FailureGroupBody(msgspec.Struct):
    #: The error without what differs each time; a filter of searches and bulk requests by the same name.
    failure: str
    count: int
    dead: int
    retrying: int
    first_at: str
    last_at: str
    #: The queues with most of them.
    queues: dict[str, int]
    #: How many failed in each of equal stretches between `from` and `to`.
    timeline: list[int]
    #: The last to fail, newest first.
    sample: list[FailedJobBody]


class FailuresBody(msgspec.Struct, rename={"from_": "from"}, omit_defaults=True):
    #: Most jobs first.
    failures: list[FailureGroupBody]
    #: Of all there are, not only of those listed.
    total: int
    jobs: int
    from_: str
    to: str
    #: Queues whose payloads and errors are sealed, so that the filters did not look into them.
    unsearchable: list[str] | UnsetType = UNSET


def failures_body(found: Failures, unsearchable: list[str]) -> FailuresBody:
    return FailuresBody(
        failures=[
            FailureGroupBody(
                failure=group.failure,
                count=group.jobs,
                dead=group.dead,
                retrying=group.jobs - group.dead,
                first_at=format_time_ns(group.first_ns),
                last_at=format_time_ns(group.last_ns),
                queues={name_of(Qualified(queue)): count for queue, count in group.queues.items()},
                timeline=group.timeline,
                sample=[_failed_body(job) for job in group.samples],
            )
            for group in found.groups
        ],
        total=found.group_count,
        jobs=found.job_count,
        from_=format_time_ns(found.from_ns),
        to=format_time_ns(found.to_ns),
        unsearchable=unsearchable or UNSET,
    )


def _failed_body(job: Job) -> FailedJobBody:
    assert job.failed_ns is not None
    return FailedJobBody(
        id=job.id,
        queue=name_of(job.queue),
        state=job.state.label,
        error=job.last_error or "",
        failed_at=format_time_ns(job.failed_ns),
    )
