"""The state machine without a cluster. Every op goes through encode -> decode -> apply -> store."""

from typing import Any

from corvo.core.backoff import Backoff
from corvo.core.clock import ManualClock
from corvo.core.errors import CorvoError
from corvo.core.events import EventType
from corvo.core.ids import IdSource
from corvo.core.job import Job, Unique, UniqueUntil
from corvo.core.priority import Priority
from corvo.core.queue import Queue
from corvo.fsm.machine import Applied, Machine
from corvo.ops.base import Op
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewFlow, NewJob
from corvo.ops.entry import Entry, decode, encode
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.finish import Ack, Fail
from corvo.ops.job_admin import Act, Action
from corvo.ops.lease import Beat, Heartbeat, Reclaim, Release
from corvo.ops.results import Acted, Finished, Pulse, WholeJob
from corvo.ops.upkeep import Expire, Promote, Purge
from corvo.storage import keys
from corvo.storage.kv import Kv
from corvo.storage.memory import MemoryKv

_FLOW_FIELDS = ("batch_id", "chain_id", "chain", "depends_on", "on_dependency_failure", "allow_missing")


class Fsm:
    """Plays the leader: stamps entries with its clock and numbers them."""

    def __init__(self, kv: Kv | None = None, clock: ManualClock | None = None) -> None:
        self.kv = kv or MemoryKv()
        self.clock = clock or ManualClock()
        self.machine = Machine(self.kv)
        self.ids = IdSource(self.clock, random_bits=lambda bits: 7)
        self.log: list[bytes] = []
        self.applied: list[Applied] = []

    def apply(self, *ops: Op) -> list[Any]:
        """One entry. Answers with the outcome of each op, errors among them."""
        data = encode(Entry(self.clock.now_ns(), list(ops)))
        self.log.append(data)
        applied = self.machine.apply(self.machine.index + 1, 1, decode(data))
        self.applied.append(applied)
        self.kv.write(applied.writes, sync=False)
        self.machine.state.store.landed(applied.index)
        return list(applied.outcomes)

    def one(self, op: Op) -> Any:
        """A single op; an expected error is raised."""
        (outcome,) = self.apply(op)
        if isinstance(outcome, CorvoError):
            raise outcome
        return outcome

    def restart(self) -> None:
        """Forget everything that is only in memory."""
        self.machine = Machine(self.kv)

    # Jobs

    def new_job(self, queue: str = "q", payload: bytes = b"{}", **fields: Any) -> NewJob:
        unique_key = fields.pop("unique_key", None)
        period_s = fields.pop("unique_period_s", 3600)
        until = fields.pop("unique_until", UniqueUntil.SUCCESS)
        flow = {name: fields.pop(name) for name in _FLOW_FIELDS if name in fields}
        defaults: dict[str, Any] = {
            "job_id": self.ids.new("job"),
            "priority": Priority.NORMAL,
            "max_retries": 3,
            "backoff": Backoff.EXPONENTIAL,
            "retry_base_ms": 5_000,
            "retry_max_ms": 600_000,
            "retry_jitter": 0.0,
            "unique": None if unique_key is None else Unique(unique_key, period_s, until),
            "scheduled_ns": None,
            "expire_after_ms": None,
            "tags": None,
            "checkpoint": None,
            "parent_id": None,
            "group": None,
            "flow": NewFlow(**flow) if flow else None,
        }
        return NewJob(queue=queue, payload=payload, **(defaults | fields))

    def enqueue(self, queue: str = "q", payload: bytes = b"{}", **fields: Any) -> str:
        """The id of the new job, or of the one that keeps it out."""
        job_id: str = self.one(Enqueue(self.new_job(queue, payload, **fields))).job_id
        return job_id

    def enqueue_many(self, *jobs: NewJob) -> list[str]:
        return [item.job_id for item in self.one(EnqueueMany(list(jobs))).items]

    def fetch(
        self, *queues: str, count: int = 1, worker: str = "w1", lease_ms: int = 60_000
    ) -> list[WholeJob]:
        claim = Claim(queues or ("q",), worker, "host", lease_ms, count)
        claims: list[list[WholeJob]] = self.one(Fetch([claim])).claims
        return claims[0]

    def lease(
        self, job_id: str | None = None, *queues: str, worker: str = "w1", lease_ms: int = 60_000
    ) -> Job:
        """Hand out one job; if an id is given it must be that one."""
        (claimed,) = self.fetch(*queues, worker=worker, lease_ms=lease_ms)
        assert job_id is None or claimed.job.id == job_id
        return claimed.job

    def ack(self, job_id: str, token: int | None = None, **fields: Any) -> Finished:
        result: Finished = self.one(Ack(job_id, token, **fields))
        return result

    def fail(self, job_id: str, token: int | None = None, error: str = "boom", **fields: Any) -> Finished:
        defaults: dict[str, Any] = {"backtrace": None, "retry": True, "retry_after_ms": None, "jitter": 0.0}
        result: Finished = self.one(Fail(job_id, token, error, **(defaults | fields)))
        return result

    def release(
        self, job_id: str, token: int | None = None, checkpoint: bytes | None = None, delay_ms: int = 0
    ) -> Finished:
        result: Finished = self.one(Release(job_id, token, checkpoint, delay_ms))
        return result

    def beat(self, job_id: str, token: int | None = None, **fields: Any) -> Pulse:
        pulse: Pulse = self.one(Heartbeat([Beat(job_id, token, **fields)])).pulses[0]
        return pulse

    def act(self, action: Action, job_id: str, **arguments: Any) -> Acted:
        result: Acted = self.one(Act(action, job_id, **arguments))
        return result

    def end(self, job_id: str, how: str) -> None:
        """Bring a pending job to an end, one way or another."""
        if how in ("ack", "fail"):
            job = self.job(job_id)
            assert job is not None
            taken = [whole.job.id for whole in self.fetch(job.queue, count=1_000)]
            for other in taken:
                if other != job_id:
                    self.release(other)
            self.ack(job_id) if how == "ack" else self.fail(job_id, retry=False)
        elif how == "expire":
            self.clock.advance(s=3_600)
            self.expire()
        else:
            self.act({"cancel": Action.CANCEL, "delete": Action.DELETE}[how], job_id)

    # Time

    def promote(self, limit: int = 1_000) -> Any:
        return self.one(Promote(limit))

    def reclaim(self, limit: int = 1_000, losses_max: int = 0) -> Any:
        return self.one(Reclaim(limit, losses_max))

    def expire(self, limit: int = 1_000) -> Any:
        return self.one(Expire(limit))

    def purge(self, age_ms: int = 0, limit: int = 1_000) -> Any:
        return self.one(Purge(self.clock.now_ns() - age_ms * 1_000_000, limit))

    # Looking

    def job(self, job_id: str) -> Job | None:
        from corvo.core.job import decode_job

        stored = self.kv.get(keys.job(job_id))
        return None if stored is None else decode_job(stored)

    def state(self, job_id: str) -> str | None:
        job = self.job(job_id)
        return None if job is None else job.state.label

    def queue(self, name: str = "q") -> Queue:
        return self.machine.state.queues[name].doc

    def events(self, job_id: str | None = None) -> list[str]:
        """Labels of what happened, oldest first."""
        return [
            event.type.label
            for applied in self.applied
            if applied.record is not None
            for event in applied.record.events
            if job_id in (None, event.job_id)
        ]

    def event_data(self, kind: EventType) -> list[Any]:
        return [
            event.data
            for applied in self.applied
            if applied.record is not None
            for event in applied.record.events
            if event.type is kind
        ]

    def dump(self) -> dict[bytes, bytes]:
        """Every pair in the store."""
        return dict(self.kv.scan(b"a", b"a" + b"\xff")) | {
            key: value
            for family in range(ord("a"), ord("z") + 1)
            for key, value in self.kv.scan(bytes((family,)), bytes((family + 1,)))
        }
