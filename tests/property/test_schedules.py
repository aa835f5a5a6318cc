"""Random histories of schedules: the state machine against a dict, all invariants, and a replica."""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from corvo.core.errors import Conflict, CorvoError, NotFound
from corvo.core.job import Unique, UniqueUntil
from corvo.core.schedule import Overlap
from corvo.fsm.machine import Machine
from corvo.ops.cron import DeleteSchedule, FireSchedule, RunSchedule, SetSchedule
from corvo.ops.entry import decode
from corvo.storage.invariants import check
from corvo.storage.memory import MemoryKv
from tests.support.fsm import Fsm
from tests.support.schedules import MINUTE, plan, stored

IDS = ("sched_1", "sched_2", "sched_3")
NAMES = ("a", "b")
KEY = Unique("k", 3_600, UniqueUntil.SUCCESS)

ids = st.sampled_from(IDS)
names = st.sampled_from(NAMES)


@dataclass
class ModelSchedule:
    name: str
    queue: str
    overlap: bool
    unique: bool
    next_ns: int | None
    version: int = 1
    fired: int = 0
    skipped: int = 0
    last_job: str | None = None
    dealt_ns: int = 0
    #: Every fire time that ever got a job.
    slots: list[int] = field(default_factory=list)


class Schedules(RuleBasedStateMachine):
    @initialize()
    def start(self):
        self.fsm = Fsm()
        self.model: dict[str, ModelSchedule] = {}
        #: Firings as leaders computed them, to be proposed now, later, or again.
        self.firings: list[FireSchedule] = []
        self.clock_ns = self.fsm.clock.now_ns()

    def try_(self, op):
        try:
            return self.fsm.one(op)
        except CorvoError as error:
            return type(error)

    def alive(self):
        """Jobs that have not ended, by id."""
        return {job_id for job_id in self.fsm_jobs() if self.fsm.state(job_id) in ("pending", "active")}

    def fsm_jobs(self):
        return [key[2:].decode() for key, _ in self.fsm.kv.scan(b"j|", b"j}")]

    # People

    @rule(schedule_id=ids, name=names, overlap=st.booleans(), unique=st.booleans(), enabled=st.booleans())
    def create(self, schedule_id, name, overlap, unique, enabled):
        if schedule_id in self.model:
            return
        next_ns = self.clock_ns + MINUTE if enabled else None
        queue = f"q{schedule_id[-1]}"
        wanted = plan(
            name=name,
            queue=queue,
            overlap=Overlap.SKIP if overlap else Overlap.ALLOW,
            unique=KEY if unique else None,
            enabled=enabled,
        )
        result = self.try_(SetSchedule(schedule_id, None, wanted, next_ns))
        if any(other.name == name for other in self.model.values()):
            assert result is Conflict
        else:
            assert result.schedule.next_ns == next_ns
            self.model[schedule_id] = ModelSchedule(name, queue, overlap, unique, next_ns)

    @rule(
        schedule_id=ids,
        behind=st.sampled_from([0, 0, 0, 1]),
        unaware=st.booleans(),
        name=names,
        enabled=st.booleans(),
        moved=st.booleans(),
    )
    def change(self, schedule_id, behind, unaware, name, enabled, moved):
        known = self.model.get(schedule_id)
        if known is None:
            assert self.try_(SetSchedule(schedule_id, 1, plan(), None)) is NotFound
            return
        was = stored(self.fsm.kv, schedule_id)
        timing = replace(was.plan.timing, cron="5 * * * *") if moved else was.plan.timing
        wanted = replace(was.plan, name=name, enabled=enabled, timing=timing)
        dealt_ns = 0 if unaware else known.dealt_ns
        next_ns = max(dealt_ns, self.clock_ns) + 5 * MINUTE if enabled else None
        result = self.try_(SetSchedule(schedule_id, was.version - behind, wanted, next_ns, dealt_ns))
        refires = (timing, enabled) != (was.plan.timing, was.plan.enabled)
        taken = any(other.name == name for key, other in self.model.items() if key != schedule_id)
        if behind or taken or (refires and enabled and dealt_ns != known.dealt_ns):
            assert result is Conflict
            return
        known.name, known.version = name, known.version + 1
        if refires:
            known.next_ns = next_ns

    @rule(schedule_id=ids)
    def delete(self, schedule_id):
        result = self.try_(DeleteSchedule(schedule_id))
        assert (result is NotFound) == (self.model.pop(schedule_id, None) is None)

    @rule(schedule_id=ids)
    def run_by_hand(self, schedule_id):
        known = self.model.get(schedule_id)
        held = known is not None and known.unique and self.holder(known)
        result = self.try_(RunSchedule(schedule_id))
        if known is None:
            assert result is NotFound
        elif held:
            assert (result.job, result.job_id) == (None, held)
        else:
            known.fired, known.last_job = known.fired + 1, result.job_id

    def holder(self, known):
        """The living job that has the queue's unique key: the model's queues have one schedule each."""
        found = [
            job_id
            for job_id in self.alive()
            if (job := self.fsm.job(job_id)).queue == known.queue and job.unique is not None
        ]
        assert len(found) <= 1
        return found[0] if found else None

    # Leaders

    @precondition(lambda self: any(known.next_ns for known in self.model.values()))
    @rule(data=st.data(), count=st.integers(0, 3))
    def compute_a_firing(self, data, count):
        due = sorted(key for key, known in self.model.items() if known.next_ns is not None)
        schedule_id = data.draw(st.sampled_from(due))
        known = self.model[schedule_id]
        slots = tuple(known.next_ns + n * MINUTE for n in range(count))
        following = known.next_ns + max(count, 1) * MINUTE
        missed_ns = known.next_ns if not slots else None
        self.firings.append(
            FireSchedule(schedule_id, known.version, known.next_ns, slots, missed_ns, following)
        )

    @precondition(lambda self: self.firings)
    @rule(data=st.data())
    def fire(self, data):
        """Any of them, and the same one again and again."""
        op = data.draw(st.sampled_from(self.firings))
        known = self.model.get(op.schedule_id)
        expected = (0, 0)
        if known is not None and (known.version, known.next_ns) == (op.version, op.due_ns):
            expected = self.expect(known, op)
        result = self.fsm.one(op)
        assert (result.fired, result.skipped) == expected
        if expected != (0, 0):
            after = stored(self.fsm.kv, op.schedule_id)
            known.last_job = after.last_job_id

    def expect(self, known, op):
        alive = self.alive()
        running = known.last_job in alive
        locked = known.unique and bool(self.holder(known))
        fired = skipped = 0
        for slot_ns in op.slots:
            if (known.overlap and running) or (known.unique and locked):
                skipped += 1
            else:
                assert slot_ns not in known.slots, "a fire time fires once"
                known.slots.append(slot_ns)
                fired, running, locked = fired + 1, True, True
        skipped += op.missed_ns is not None
        known.fired, known.skipped = known.fired + fired, known.skipped + skipped
        known.next_ns = op.next_ns
        known.dealt_ns = max((op.due_ns, *op.slots))
        return fired, skipped

    # Workers, and crashes

    @rule(number=st.integers(1, 3))
    def work(self, number):
        for whole in self.fsm.fetch(f"q{number}", count=10):
            self.fsm.ack(whole.job.id)

    @rule()
    def restart(self):
        self.fsm.restart()

    @invariant()
    def documents_match_the_model(self):
        for schedule_id in IDS:
            schedule, known = stored(self.fsm.kv, schedule_id), self.model.get(schedule_id)
            assert (schedule is None) == (known is None)
            if schedule is not None:
                assert schedule.plan.name == known.name
                assert (schedule.version, schedule.next_ns) == (known.version, known.next_ns)
                assert (schedule.fired_total, schedule.skipped_total) == (known.fired, known.skipped)
                assert schedule.last_job_id == known.last_job
        assert self.fsm.machine.state.schedules == len(self.model)

    @invariant()
    def the_store_is_sound(self):
        assert list(check(self.fsm.kv)) == []

    def teardown(self):
        if not hasattr(self, "fsm"):
            return
        kv = MemoryKv()
        replica = Machine(kv)
        for data in self.fsm.log:
            applied = replica.apply(replica.index + 1, 1, decode(data))
            kv.write(applied.writes, sync=False)
            replica.state.store.landed(applied.index)
        assert dict(kv.scan(b"\0", b"\xff")) == dict(self.fsm.kv.scan(b"\0", b"\xff"))


TestSchedules = Schedules.TestCase
TestSchedules.settings = settings(
    stateful_step_count=30, max_examples=min(settings.default.max_examples, 200)
)
