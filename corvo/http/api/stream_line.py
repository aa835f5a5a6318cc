"""One line of a worker's stream: what it asks for becomes ops and a wait; what they come to, its answer.

Order within a line: heartbeats, acks, fails, releases, enqueues, and when those are done, the fetch. All but
the fetch travel as one entry. Every part is checked first, so a line that is refused has no effect at all.
"""

from functools import partial
from typing import Any, Final

import msgspec
from msgspec import UNSET

from corvo.actors.fetch.messages import Handed, Wait
from corvo.core.errors import CorvoError
from corvo.core.limits import LEASE_S_DEFAULT
from corvo.core.namespace import Qualified
from corvo.http.api.routes.work import worker_ops
from corvo.http.api.routes.work.worker_answers import ack_result, acked, pulse_body, verdict
from corvo.http.api.routes.writing import job_size, maker_of, time_or_unset
from corvo.http.api.schema import stream as schema
from corvo.http.api.schema import worker
from corvo.http.api.schema.enqueue import new_job, set_times
from corvo.http.serve.access.queue_access import queue_for, worker_for
from corvo.http.serve.context import EdgeContext
from corvo.http.wire.message import Request
from corvo.ops.base import Op
from corvo.ops.enqueue import Enqueue
from corvo.ops.results import Beaten, Enqueued, Finished, Outcome


class StreamSession(msgspec.Struct):
    """What a stream remembers from line to line."""

    queues: tuple[Qualified, ...] = ()
    worker_id: Qualified = Qualified("")
    hostname: str = ""
    lease_ms: int = LEASE_S_DEFAULT * 1_000

    def learn(self, line: schema.StreamLine, request: Request) -> None:
        if line.queues:
            find = partial(queue_for, request)
            self.queues = worker.fetch_queues(worker.FetchRequest(queues=line.queues), find)
        if line.worker_id:
            self.worker_id = worker_for(request, line.worker_id)
        self.hostname = line.hostname or self.hostname
        if line.lease_duration:
            self.lease_ms = line.lease_duration * 1_000


class Work(msgspec.Struct):
    """A line, checked and taken apart."""

    heartbeat: Op | None
    acks: list[Any]
    fails: list[Any]
    releases: list[Any]
    enqueues: list[Any]
    size_bytes: int
    wait: Wait | None

    @property
    def ops(self) -> tuple[Op, ...]:
        first = () if self.heartbeat is None else (self.heartbeat,)
        return (*first, *self.acks, *self.fails, *self.releases, *self.enqueues)

    @property
    def jobs(self) -> int:
        """How many jobs this line brings, takes or gives back."""
        fetched = 0 if self.wait is None else self.wait.count
        return len(self.acks) + len(self.fails) + len(self.releases) + len(self.enqueues) + fetched

    @property
    def finished_ids(self) -> list[str]:
        """Jobs this line gives back, whatever comes of it."""
        return [op.job_id for op in (*self.acks, *self.fails, *self.releases)]


#: What each part of a line needs, as the route that does the same by itself.
_NEEDS: Final = {
    "heartbeats": "heartbeat:write",
    "acks": "ack:write",
    "fails": "fail:write",
    "releases": "release:write",
    "enqueues": "enqueue:write",
    "fetch_count": "fetch:write",
}


def take_apart(line: schema.StreamLine, session: StreamSession, request: Request, ctx: EdgeContext) -> Work:
    for member, permission in _NEEDS.items():
        if getattr(line, member):
            ctx.access.may(request, permission)
    session.learn(line, request)
    heartbeat = None
    size = 0
    if line.heartbeats:
        heartbeat = worker_ops.heartbeat_op(worker.HeartbeatRequest(line.heartbeats), request, ctx)
        size += worker_ops.heartbeat_size(heartbeat)
    acks = [
        worker_ops.ack_op(schema.job_id_of(item, f"acks[{place}]"), item, request, ctx)
        for place, item in enumerate(line.acks or ())
    ]
    fails = [
        worker_ops.fail_op(schema.job_id_of(item, f"fails[{place}]"), item, request, ctx)
        for place, item in enumerate(line.fails or ())
    ]
    releases = [
        worker_ops.release_op(schema.job_id_of(item, f"releases[{place}]"), item, request, ctx)
        for place, item in enumerate(line.releases or ())
    ]
    set_times(line.enqueues, ctx.clock.now_ns(), "enqueues")
    maker = maker_of(request, ctx)
    jobs = [new_job(item, maker) for item in line.enqueues or ()]
    size += sum(map(worker_ops.ack_size, acks)) + sum(map(worker_ops.fail_size, fails))
    size += sum(map(worker_ops.release_size, releases)) + sum(map(job_size, jobs))
    wait = None
    if line.fetch_count:
        queues = session.queues or worker.fetch_queues(worker.FetchRequest(), partial(queue_for, request))
        wait = Wait(
            wait_id=ctx.new_wait_id(),
            queues=queues,
            worker_id=session.worker_id,
            hostname=session.hostname,
            lease_ms=session.lease_ms,
            count=line.fetch_count,
            wait_ms=line.wait_ms or 0,
        )
    return Work(heartbeat, acks, fails, releases, [Enqueue(new) for new in jobs], size, wait)


# Answers


def shape(answer: schema.StreamAnswer, work: Work, outcomes: list[Outcome]) -> None:
    """What the ops came to, in the order they were given."""
    rest = iter(outcomes)
    if work.heartbeat is not None:
        _shape_heartbeat(answer, next(rest))
    if work.acks:
        answer.ack_results = [ack_result(op.job_id, next(rest)) for op in work.acks]
        answer.acked = acked(answer.ack_results)
    if work.fails:
        answer.failed = [_failed(op.job_id, next(rest)) for op in work.fails]
    if work.releases:
        answer.released = [_released(op.job_id, next(rest)) for op in work.releases]
    if work.enqueues:
        results = answer.enqueue_results = [_enqueued(next(rest)) for _ in work.enqueues]
        answer.enqueued_job_ids = [result.job_id for result in results if isinstance(result.job_id, str)]


def _shape_heartbeat(answer: schema.StreamAnswer, outcome: Outcome) -> None:
    if isinstance(outcome, CorvoError):
        raise outcome
    assert isinstance(outcome, Beaten)
    answer.heartbeats = {pulse.job_id: pulse_body(pulse) for pulse in outcome.pulses}
    lost = [pulse.job_id for pulse in outcome.pulses if pulse.expires_ns is None]
    answer.cancel = lost or UNSET


def _failed(job_id: str, outcome: Outcome) -> schema.FailResult:
    if isinstance(outcome, CorvoError):
        return schema.FailResult(job_id, "refused", code=outcome.code)
    assert isinstance(outcome, Finished)
    status, attempts_remaining = verdict(outcome)
    return schema.FailResult(
        job_id,
        status,
        attempts_remaining=attempts_remaining,
        next_attempt_at=time_or_unset(outcome.next_attempt_ns),
    )


def _released(job_id: str, outcome: Outcome) -> schema.ReleaseResult:
    if isinstance(outcome, CorvoError):
        return schema.ReleaseResult(job_id, "refused", code=outcome.code)
    return schema.ReleaseResult(job_id, "released")


def _enqueued(outcome: Outcome) -> schema.EnqueueResult:
    if isinstance(outcome, CorvoError):
        return schema.EnqueueResult(status="refused", error=outcome.message, code=outcome.code)
    assert isinstance(outcome, Enqueued)
    if outcome.job is None:
        return schema.EnqueueResult(outcome.job_id, "duplicate", unique_existing=True)
    return schema.EnqueueResult(outcome.job_id, outcome.job.state.label)


def fetched(handed: Handed) -> list[worker.FetchedJob]:
    return [worker.fetched_job(claimed) for claimed in handed.jobs]
