"""Random flows: batches, chains and dependencies, however their jobs end; and one callback each."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from corvo.core.batch import decode_batch
from corvo.core.errors import CorvoError
from corvo.core.job import Chain, DependencyFailure, Step, decode_job
from corvo.core.states import JobState
from corvo.fsm.machine import Machine
from corvo.ops.enqueue import EnqueueMany, NewBatch
from corvo.ops.entry import decode
from corvo.ops.flow import OpenBatch, Resolve, SealBatch
from corvo.ops.job_admin import Action
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, ThrottleQueue
from corvo.storage import keys
from corvo.storage.invariants import check
from corvo.storage.memory import MemoryKv
from tests.support.fsm import Fsm

QUEUES = ("a", "b")
CHAIN = Chain((Step("a"), Step("b"), Step("a", b'{"x":1}')), on_failure=Step("b"), on_exit=Step("a"))


class Flows(RuleBasedStateMachine):
    @initialize()
    def start(self):
        self.fsm = Fsm()
        self.jobs = []
        self.batches = []
        self.callbacks = {}  # batch id -> callback job id, once seen

    def attempt(self, action):
        """Refusals are fine here; crashes and broken invariants are not."""
        try:
            return action()
        except CorvoError:
            return None

    @rule(
        data=st.data(),
        queue=st.sampled_from(QUEUES),
        chained=st.booleans(),
        expires=st.booleans(),
        mode=st.sampled_from(DependencyFailure),
        later=st.booleans(),
    )
    def enqueue(self, data, queue, chained, expires, mode, later):
        fields = {"on_dependency_failure": mode, "allow_missing": True}
        if self.jobs:
            fields["depends_on"] = tuple(
                data.draw(st.lists(st.sampled_from(self.jobs), max_size=3, unique=True))
            )
        if self.batches:
            fields["batch_id"] = data.draw(st.sampled_from([None, *self.batches]))
        if chained:
            fields |= {"chain": CHAIN, "chain_id": f"chn_{len(self.jobs)}"}
            queue = "a"
        job_id = self.attempt(
            lambda: self.fsm.enqueue(
                queue,
                max_retries=2,
                expire_after_ms=20_000 if expires else None,
                scheduled_ns=self.fsm.clock.now_ns() + 5_000_000_000 if later else None,
                **fields,
            )
        )
        if job_id is not None:
            self.jobs.append(job_id)

    @rule(count=st.integers(1, 4), callback=st.sampled_from([None, "b"]))
    def batch(self, count, callback):
        batch_id = f"batch_{len(self.batches)}"
        new = [self.fsm.new_job("a", max_retries=1) for _ in range(count)]
        self.fsm.one(EnqueueMany(new, NewBatch(batch_id, callback, b'{"n":1}')))
        self.batches.append(batch_id)
        self.jobs += [job.job_id for job in new]

    @rule(callback=st.sampled_from([None, "b"]))
    def open_batch(self, callback):
        batch_id = f"batch_{len(self.batches)}"
        self.fsm.one(OpenBatch(batch_id, callback, None))
        self.batches.append(batch_id)

    @precondition(lambda self: self.batches)
    @rule(data=st.data())
    def seal(self, data):
        self.attempt(lambda: self.fsm.one(SealBatch(data.draw(st.sampled_from(self.batches)))))

    @rule(
        queue=st.sampled_from(QUEUES),
        ends=st.lists(st.sampled_from(["ack", "fail", "dead", "exit"]), min_size=1, max_size=5),
    )
    def work(self, queue, ends):
        for whole, how in zip(self.fsm.fetch(queue, count=len(ends)), ends, strict=False):
            if how in ("ack", "exit"):
                self.fsm.ack(whole.job.id, whole.job.lease.token, result=b"1", leave_chain=how == "exit")
            else:
                self.fsm.fail(whole.job.id, whole.job.lease.token, retry=how == "fail", retry_after_ms=0)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), action=st.sampled_from(Action))
    def act(self, data, action):
        job_id = data.draw(st.sampled_from(self.jobs))
        self.attempt(lambda: self.fsm.act(action, job_id, queue="b", priority=0))

    @rule(queue=st.sampled_from(QUEUES), rate=st.sampled_from([None, 1, 3]))
    def throttle(self, queue, rate):
        self.fsm.one(ThrottleQueue(queue, rate, None if rate is None else 10_000))

    @rule(seconds=st.sampled_from([0.1, 6, 30]))
    def time_passes(self, seconds):
        self.fsm.clock.advance(s=seconds)
        self.fsm.promote()
        self.fsm.reclaim(losses_max=2)
        self.fsm.expire()
        while self.fsm.one(Resolve(limit=5)).more:
            """Until everybody is told."""

    @rule(queue=st.sampled_from(QUEUES), op=st.sampled_from([ClearQueue, DeleteQueue]))
    def empty(self, queue, op):
        self.attempt(lambda: self.fsm.one(op(queue, 3)))

    @rule(age_s=st.sampled_from([0, 10]))
    def purge(self, age_s):
        self.fsm.purge(age_ms=age_s * 1_000)

    @rule()
    def restart(self):
        self.fsm.restart()

    def teardown(self):
        if not hasattr(self, "fsm"):
            return
        assert list(check(self.fsm.kv)) == []
        self._check_callbacks()
        self._check_nobody_waits_in_vain()
        replica_kv = MemoryKv()
        replica = Machine(replica_kv)
        for data in self.fsm.log:
            applied = replica.apply(replica.index + 1, 1, decode(data))
            replica_kv.write(applied.writes, sync=False)
            replica.state.store.landed(applied.index)
        assert replica_kv._values == self.fsm.kv._values

    def _check_callbacks(self):
        told = [
            e
            for a in self.fsm.applied
            if a.record
            for e in a.record.events
            if e.type.label == "batch.completed"
        ]
        for batch_id in self.batches:
            batch = decode_batch(self.fsm.kv.get(keys.batch(batch_id)))
            ends = sum(event.data["batch_id"] == batch_id for event in told)
            if batch.callback_queue is not None:
                assert ends == (batch.callback_job_id is not None), "the callback is made once"
            assert not batch.sealed or batch.pending or batch.ended_ns is not None

    def _check_nobody_waits_in_vain(self):
        """A parked job waits for something that can still complete, or was told to wait whatever happens."""
        for key, value in self.fsm.kv.scan(keys.JOB, keys.after(keys.JOB)):
            job = decode_job(value)
            if not job.is_parked or job.flow.on_dependency_failure is DependencyFailure.WAIT:
                continue
            alive = [d for d in map(self.fsm.job, job.flow.depends_on) if d is not None]
            assert any(
                d.state not in (JobState.DEAD, JobState.CANCELLED, JobState.COMPLETED) for d in alive
            ), key


Flows.TestCase.settings = settings(stateful_step_count=50)
TestFlows = Flows.TestCase
