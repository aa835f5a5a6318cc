"""Sealing at the edge: ops are sealed on their way to the batcher, answers opened on their way back (ADR 20).

    handler --ops--> [sealing] --sealed ops--> batcher
    handler <--answers-- [sealing] <--sealed documents-- fsm, fetch desk, mirror

All ops and answers pass EdgeContext, which asks here; so no handler and no schema knows of sealed values.
What is sealed is opened whatever the settings say now.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import structlog
from msgspec.structs import replace

from corvo.actors.events.messages import EventsFound, HistoryFound, NumberedEvent
from corvo.actors.fetch.messages import Handed
from corvo.actors.mirror.messages import FailuresGrouped, FullTextFound, Hit, SearchPage
from corvo.actors.state.questions import (
    BatchesListed,
    BatchFound,
    ErrorsFound,
    Explained,
    JobFound,
    JobsFound,
)
from corvo.actors.time.messages import ScheduleFound, SchedulesListed
from corvo.core.errors import CorvoError, SealDamaged, SealKeyMissing
from corvo.core.job import Chain, Job, Step
from corvo.core.namespace import Qualified, namespace_of
from corvo.core.sealing.documents import UNREADABLE, Opener
from corvo.core.sealing.form import Field, is_sealed
from corvo.core.sealing.keyring import Place, SealKeyring
from corvo.core.sealing.patterns import Patterns
from corvo.ops.base import Op
from corvo.ops.cron import SetSchedule
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewBatch, NewFlow, NewJob
from corvo.ops.finish import Ack, Fail
from corvo.ops.flow import OpenBatch
from corvo.ops.lease import Beat, Heartbeat, Release
from corvo.ops.results import BatchSealed, Enqueued, Finished, Outcome, ScheduleChanged, WholeJob

log = structlog.get_logger()

#: In which queues these jobs are; jobs that are gone are left out.
FindQueuesOf: TypeAlias = Callable[[list[str]], Awaitable[dict[str, str]]]

#: Leased jobs whose queues are remembered: enough for the workers of one node.
_LEASED_MAX: Final = 100_000
#: Jobs sealed in one turn of the loop: about five milliseconds.
_AT_ONCE: Final = 500
_NOTICE: Final = b'{"%b":' % UNREADABLE.encode()


class Sealing:
    def __init__(self, keyring: SealKeyring, patterns: Patterns) -> None:
        self._patterns = patterns
        #: Whether anything is to be sealed.
        self.is_on = bool(patterns)
        self.use(keyring)
        #: In which queues jobs are that workers got here: an active job is never moved.
        self._leased: OrderedDict[str, str] = OrderedDict()

    def use(self, keyring: SealKeyring) -> None:
        """From now on with these keys."""
        self.keyring = keyring
        self.opener = Opener(keyring)
        #: Whether answers to writes may hold what this node has sealed.
        self.is_active = bool(keyring.key_ids)

    def covers(self, queue: str) -> bool:
        return self._patterns.covers(queue)

    # Sealing

    async def seal(self, ops: tuple[Op, ...], find: FindQueuesOf) -> tuple[Op, ...]:
        """Not awaited for anything unless an op tells of a job whose queue is not known here."""
        unknown = [job_id for op in ops for job_id in _told_of(op) if job_id not in self._leased]
        queues = await find(unknown) if unknown else {}
        return tuple([await self._seal_many(op) or self._seal_op(op, queues) for op in ops])

    async def _seal_many(self, op: Op) -> EnqueueMany | None:
        """Thousands of jobs take a while; others get their turn in between. None for what is quickly done."""
        if not isinstance(op, EnqueueMany) or len(op.jobs) <= _AT_ONCE:
            return None
        jobs: list[NewJob] = []
        for start in range(0, len(op.jobs), _AT_ONCE):
            jobs += [self._new_job(job) for job in op.jobs[start : start + _AT_ONCE]]
            await asyncio.sleep(0)
        return EnqueueMany(jobs, None if op.batch is None else self._new_batch(op.batch))

    def _seal_op(self, op: Op, queues: dict[str, str]) -> Op:
        """Ops that bring jobs, or what jobs are made from; then those by which workers tell of a job."""
        match op:
            case Enqueue():
                return Enqueue(self._new_job(op.job))
            case EnqueueMany():
                batch = None if op.batch is None else self._new_batch(op.batch)
                return replace(op, jobs=[self._new_job(job) for job in op.jobs], batch=batch)
            case OpenBatch():
                return replace(op, callback_payload=self._template(op.callback_payload, op.callback_queue))
            case SetSchedule():
                return self._schedule(op)
            case Heartbeat():
                return Heartbeat([self._beat(beat, queues) for beat in op.beats])
            case Ack() | Fail() | Release() if _told_of(op):
                return self._verdict(op, self._place_of(op.job_id, queues))
        return op

    def _verdict(self, op: Ack | Fail | Release, place: Place | None) -> Op:
        if place is None:
            return op
        if isinstance(op, Fail):
            backtrace = op.backtrace
            if backtrace is not None:
                backtrace = self.keyring.seal_text(backtrace, replace(place, field=Field.BACKTRACE))
            error = self.keyring.seal_error(op.error, replace(place, field=Field.ERROR))
            return replace(op, error=error, backtrace=backtrace)
        sealed: Op = replace(op, checkpoint=self._value(op.checkpoint, place, Field.CHECKPOINT))
        return (
            replace(sealed, result=self._value(op.result, place, Field.RESULT))
            if isinstance(op, Ack)
            else sealed
        )

    def _new_job(self, new: NewJob) -> NewJob:
        place = self._place(new.queue, new.job_id)
        flow = new.flow
        if place is None and (flow is None or flow.chain is None):
            return new
        return replace(
            new,
            payload=self._value(new.payload, place, Field.PAYLOAD),
            checkpoint=self._value(new.checkpoint, place, Field.CHECKPOINT),
            flow=None if flow is None else self._flow(flow),
        )

    def _flow(self, flow: NewFlow) -> NewFlow:
        chain = flow.chain
        if chain is None:
            return flow
        sealed = Chain(
            steps=tuple(map(self._step, chain.steps)),
            on_failure=None if chain.on_failure is None else self._step(chain.on_failure),
            on_exit=None if chain.on_exit is None else self._step(chain.on_exit),
        )
        return replace(flow, chain=sealed)

    def _step(self, step: Step) -> Step:
        return Step(step.queue, self._template(step.payload, step.queue))

    def _new_batch(self, new: NewBatch) -> NewBatch:
        return replace(new, callback_payload=self._template(new.callback_payload, new.callback_queue))

    def _beat(self, beat: Beat, queues: dict[str, str]) -> Beat:
        if beat.progress is None and beat.checkpoint is None:
            return beat
        place = self._place_of(beat.job_id, queues)
        return replace(
            beat,
            progress=self._value(beat.progress, place, Field.PROGRESS),
            checkpoint=self._value(beat.checkpoint, place, Field.CHECKPOINT),
        )

    def _schedule(self, op: SetSchedule) -> SetSchedule:
        pattern = op.plan.pattern
        if pattern.payload.startswith(_NOTICE):
            # The plan was changed, and is to keep a payload that could not be opened.
            raise SealKeyMissing(
                "the payload of the schedule cannot be opened here; give a new one with the change"
            )
        payload = self._template(pattern.payload, pattern.queue)
        return replace(op, plan=replace(op.plan, pattern=replace(pattern, payload=payload)))

    # Places

    def _place(self, queue: str, job_id: str) -> Place | None:
        """None if the queue is not sealed."""
        if not self.covers(queue):
            return None
        return Place(namespace_of(Qualified(queue)), Field.PAYLOAD, job_id)

    def _place_of(self, job_id: str, queues: dict[str, str]) -> Place | None:
        queue = self._leased.get(job_id) or queues.get(job_id)
        if queue is None:
            # The job is gone, so this will be refused; but before that it is written to the log.
            return Place("", Field.PAYLOAD, job_id)
        return self._place(queue, job_id)

    def _value(self, value: Any, place: Place | None, field: Field) -> Any:
        if value is None or place is None:
            return value
        return self.keyring.seal(value, replace(place, field=field))

    def _template(self, value: bytes | None, queue: str | None) -> Any:
        """What will be the payload of jobs that have no id yet."""
        if value is None or (queue is not None and not self.covers(queue)):
            return value
        return self.keyring.seal(value, Place(namespace_of(Qualified(queue or "")), Field.PAYLOAD))

    # Opening

    def open(self, answer: Any) -> Any:
        """An answer of an actor, as its asker may see it."""
        way = _ANSWERS.get(type(answer))
        return answer if way is None else way(self.opener, answer)

    def open_outcomes(self, outcomes: list[Outcome]) -> list[Outcome]:
        return [self.open(outcome) for outcome in outcomes]

    def event(self, numbered: NumberedEvent) -> NumberedEvent:
        return _numbered(self.opener, numbered)

    def hand_out(self, handed: Handed) -> tuple[Handed, list[tuple[Job, CorvoError]]]:
        """The jobs a worker may have, and those that cannot be opened, each with the reason."""
        if not self.is_on and not any(map(_is_shut, handed.jobs)):
            return handed, []
        good: list[WholeJob] = []
        bad: list[tuple[Job, CorvoError]] = []
        for whole in handed.jobs:
            job = whole.job
            if self.is_on:
                self._remember(job)
            if not _is_shut(whole):
                good.append(whole)
                continue
            try:
                good.append(WholeJob(*self.opener.for_worker(job, whole.payload)))
            except (SealKeyMissing, SealDamaged) as error:
                bad.append((job, error))
        return replace(handed, jobs=good), bad

    def _remember(self, job: Job) -> None:
        self._leased[job.id] = job.queue
        self._leased.move_to_end(job.id)
        if len(self._leased) > _LEASED_MAX:
            self._leased.popitem(last=False)


def _is_shut(whole: WholeJob) -> bool:
    return is_sealed(whole.payload) or is_sealed(whole.job.checkpoint)


def _told_of(op: Op) -> list[str]:
    """Jobs of which the op says something that may have to be sealed."""
    match op:
        case Ack() if op.result is not None or op.checkpoint is not None:
            return [op.job_id]
        case Release() if op.checkpoint is not None:
            return [op.job_id]
        case Fail():
            return [op.job_id]
        case Heartbeat():
            return [
                beat.job_id for beat in op.beats if beat.progress is not None or beat.checkpoint is not None
            ]
    return []


# Answers


def _whole(opener: Opener, whole: WholeJob) -> WholeJob:
    return WholeJob(opener.job(whole.job), opener.payload(whole.job, whole.payload))


def _job_found(opener: Opener, found: JobFound) -> JobFound:
    job = found.job
    opened, payload, errors = (
        opener.job(job),
        opener.payload(job, found.payload),
        opener.errors(job, found.errors),
    )
    is_same = opened is job and payload is found.payload and errors is found.errors
    return found if is_same else JobFound(opened, payload, errors)


def _explained(opener: Opener, explained: Explained) -> Explained:
    """The last error may be quoted in a reason."""
    was, job = explained.job.last_error, opener.job(explained.job)
    if was is None or job.last_error is None or job.last_error == was:
        return explained
    told = job.last_error
    reasons = [replace(reason, text=reason.text.replace(was, told)) for reason in explained.reasons]
    return replace(explained, job=job, reasons=reasons)


def _hit(opener: Opener, hit: Hit) -> Hit:
    return Hit(opener.job(hit.job), opener.payload_text(hit.job, hit.payload))


def _numbered(opener: Opener, numbered: NumberedEvent) -> NumberedEvent:
    event = opener.event(numbered.event)
    return numbered if event is numbered.event else replace(numbered, event=event)


def _events(opener: Opener, found: Any) -> Any:
    return replace(found, events=[_numbered(opener, numbered) for numbered in found.events])


def _hits(opener: Opener, found: Any) -> Any:
    return replace(found, hits=[_hit(opener, hit) for hit in found.hits])


def _failures(opener: Opener, found: FailuresGrouped) -> FailuresGrouped:
    groups = [
        replace(group, samples=[opener.job(job) for job in group.samples]) for group in found.found.groups
    ]
    return replace(found, found=replace(found.found, groups=groups))


def _batch_sealed(opener: Opener, result: BatchSealed) -> BatchSealed:
    callback = result.callback
    return BatchSealed(opener.batch(result.batch), None if callback is None else _whole(opener, callback))


#: How each answer that may hold something sealed is opened. All others pass as they are.
_ANSWERS: Final[dict[type, Callable[[Opener, Any], Any]]] = {
    JobFound: _job_found,
    JobsFound: lambda opener, found: JobsFound([_job_found(opener, each) for each in found.jobs]),
    ErrorsFound: lambda opener, found: replace(found, errors=opener.errors(found.job, found.errors)),
    Explained: _explained,
    BatchFound: lambda opener, found: BatchFound(opener.batch(found.batch)),
    BatchesListed: lambda opener, found: replace(found, batches=list(map(opener.batch, found.batches))),
    ScheduleFound: lambda opener, found: ScheduleFound(opener.schedule(found.schedule)),
    SchedulesListed: lambda opener, found: replace(
        found, schedules=list(map(opener.schedule, found.schedules))
    ),
    HistoryFound: _events,
    EventsFound: _events,
    SearchPage: _hits,
    FullTextFound: _hits,
    FailuresGrouped: _failures,
    # Results of ops
    Enqueued: lambda opener, result: (
        result if result.job is None else Enqueued(result.job_id, opener.job(result.job))
    ),
    Finished: lambda opener, result: (
        result if result.whole is None else replace(result, whole=_whole(opener, result.whole))
    ),
    BatchSealed: _batch_sealed,
    ScheduleChanged: lambda opener, result: ScheduleChanged(opener.schedule(result.schedule)),
}
