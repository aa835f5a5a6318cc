"""Random histories: the state machine against the model, all invariants, and replicas byte for byte."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from corvo.core.errors import AckRefused, CorvoError, FailRefused, LeaseConflict, NotFound, ReleaseRefused
from corvo.core.job import Priority, UniqueUntil
from corvo.fsm.actions import RULES
from corvo.fsm.machine import Machine
from corvo.ops.entry import decode
from corvo.ops.job_admin import Action
from corvo.ops.queue_admin import LimitQueue, PauseQueue
from corvo.ops.upkeep import CleanUnique
from corvo.storage.invariants import check
from corvo.storage.memory import MemoryKv
from tests.support.fsm import Fsm
from tests.support.model import NS, Model, ModelJob

QUEUES = ("a", "b", "c")
LOSSES_MAX = 3
REFUSED = {"ack": AckRefused, "fail": FailRefused, "release": ReleaseRefused}

queue_lists = st.lists(st.sampled_from(QUEUES), min_size=1, max_size=3, unique=True).map(tuple)


class Replica:
    """A follower: gets the log alone, lags behind with its store, and restarts now and then."""

    def __init__(self):
        self.kv = MemoryKv()
        self.machine = Machine(self.kv)
        self.unlanded = []

    def feed(self, data, land):
        applied = self.machine.apply(self.machine.index + 1, 1, decode(data))
        self.unlanded.append(applied)
        if land:
            self.land()

    def land(self):
        for applied in self.unlanded:
            self.kv.write(applied.writes, sync=False)
            self.machine.state.store.landed(applied.index)
        self.unlanded.clear()

    def restart(self):
        self.land()
        self.machine = Machine(self.kv)


class Jobs(RuleBasedStateMachine):
    @initialize()
    def start(self):
        self.fsm = Fsm()
        self.model = Model()
        self.replica = Replica()
        self.fed = 0
        self.tokens = {}  # every token ever given out -> job id

    def now(self):
        return self.fsm.clock.now_ns()

    # Producers

    @rule(
        queue=st.sampled_from(QUEUES),
        priority=st.sampled_from(Priority),
        max_retries=st.integers(0, 4),
        delay_s=st.sampled_from([None, None, -5, 3, 40]),
        expire_s=st.sampled_from([None, None, None, 2, 30]),
        unique=st.sampled_from([None, None, ("k", 20), ("k", 100), ("l", 5)]),
        until=st.sampled_from(UniqueUntil),
        large=st.booleans(),
    )
    def enqueue(self, queue, priority, max_retries, delay_s, expire_s, unique, until, large):
        now = self.now()
        new = self.fsm.new_job(
            queue,
            b'"' + b"x" * (2_000 if large else 10) + b'"',
            priority=priority,
            max_retries=max_retries,
            scheduled_ns=None if delay_s is None else now + delay_s * NS,
            expire_after_ms=None if expire_s is None else expire_s * 1_000,
            unique_key=None if unique is None else unique[0],
            unique_period_s=0 if unique is None else unique[1],
            unique_until=until,
        )
        (job_id,) = self.fsm.enqueue_many(new)
        expected = self.model.enqueue(
            ModelJob(
                id=new.job_id,
                queue=queue,
                priority=priority,
                order=0,
                max_retries=max_retries,
                due_ns=new.scheduled_ns,
                expire_ns=None if expire_s is None else now + expire_s * NS,
                unique=None if unique is None else (unique[0], now + unique[1] * NS, until.name.lower()),
                unique_period=0 if unique is None else unique[1],
                expire_after=expire_s or 0,
            ),
            now,
        )
        assert job_id == expected

    # Workers

    @rule(queues=queue_lists, count=st.integers(1, 4), lease_s=st.sampled_from([1, 10, 60]))
    def fetch(self, queues, count, lease_s):
        taken = self.fsm.fetch(*queues, count=count, lease_ms=lease_s * 1_000)
        expected = self.model.fetch(queues, count, self.now())
        assert [claimed.job.id for claimed in taken] == [job.id for job in expected]
        for claimed, job in zip(taken, expected, strict=True):
            token = claimed.job.lease.token
            assert token not in self.tokens
            self.tokens[token] = job.id
            job.token = token
            job.lease_ns = lease_s * NS
            job.lease_until = self.now() + job.lease_ns

    @precondition(lambda self: self.tokens)
    @rule(
        data=st.data(),
        verb=st.sampled_from(["ack", "fail", "release"]),
        with_token=st.booleans(),
        retry=st.booleans(),
        delay_s=st.sampled_from([0, 2, 30]),
    )
    def end_lease(self, data, verb, with_token, retry, delay_s):
        token = data.draw(st.sampled_from(sorted(self.tokens)))
        job_id = self.tokens[token]
        verdict = self.model.may_end(job_id, token if with_token else None, verb)
        arguments = {
            "ack": {"result": b"1"},
            "fail": {"retry": retry, "retry_after_ms": delay_s * 1_000},
            "release": {"delay_ms": delay_s * 1_000},
        }[verb]
        try:
            answer = getattr(self.fsm, verb)(job_id, token if with_token else None, **arguments)
        except CorvoError as error:
            expected = {"missing": NotFound, "conflict": LeaseConflict, "refused": REFUSED[verb]}
            assert type(error) is expected[verdict]
            return
        assert verdict == ("repeat" if answer.duplicate else "ok")
        if verdict == "ok":
            job = self.model.jobs[job_id]
            extra = {"ack": (), "fail": (retry, delay_s * NS), "release": (delay_s * NS,)}[verb]
            getattr(self.model, verb)(job, *extra, self.now())

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), with_token=st.booleans())
    def heartbeat(self, data, with_token):
        token = data.draw(st.sampled_from(sorted(self.tokens)))
        job = self.model.jobs.get(self.tokens[token])
        pulse = self.fsm.beat(self.tokens[token], token if with_token else None, progress=b"1")
        held = job is not None and job.state == "active" and (not with_token or job.token == token)
        assert (pulse.lost is None) == held
        if held:
            job.lease_until = self.now() + job.lease_ns

    # People

    @precondition(lambda self: self.model.jobs)
    @rule(
        data=st.data(),
        action=st.sampled_from(Action),
        queue=st.sampled_from(QUEUES),
        priority=st.sampled_from(Priority),
    )
    def act(self, data, action, queue, priority):
        job = self.model.jobs[data.draw(st.sampled_from(sorted(self.model.jobs)))]
        label = action.name.lower()
        now = self.now()
        allowed = job.state in {state.label for state in RULES[action].states}
        if action in (Action.RETRY, Action.REQUEUE):
            allowed = allowed and self.model.may_retry(job, now)
        if action is Action.MOVE:
            allowed = allowed and self.model.may_move(job, queue, now)
        try:
            self.fsm.act(action, job.id, queue=queue, priority=priority)
        except CorvoError as error:
            assert not allowed
            assert type(error) is RULES[action].refusal
            return
        assert allowed
        self.model.act(label, job, now, queue, priority)

    @rule(queue=st.sampled_from(QUEUES), paused=st.booleans())
    def pause(self, queue, paused):
        self.fsm.one(PauseQueue(queue, paused))
        (self.model.paused.add if paused else self.model.paused.discard)(queue)

    @rule(queue=st.sampled_from(QUEUES), limit=st.sampled_from([None, 0, 1, 3]))
    def limit(self, queue, limit):
        self.fsm.one(LimitQueue(queue, limit))
        self.model.limits.pop(queue, None)
        if limit is not None:
            self.model.limits[queue] = limit

    # Time

    @rule(ms=st.sampled_from([1, 900, 2_500, 12_000, 45_000, -30_000]))
    def time_passes(self, ms):
        # Backwards too: the state machine must not believe the leader's clock over its own history.
        last_ns = self.fsm.machine.state.meta.last_ns
        self.fsm.clock.jump_to(max(self.fsm.clock.now_ns() + ms * 1_000_000, last_ns + 1_000_000))

    @rule()
    def upkeep(self):
        self.fsm.promote()
        self.model.promote(self.now())
        self.fsm.reclaim(losses_max=LOSSES_MAX)
        self.model.reclaim(LOSSES_MAX, self.now())
        self.fsm.expire()
        self.model.expire(self.now())
        self.fsm.one(CleanUnique(limit=100))

    @rule(age_s=st.sampled_from([0, 20]))
    def purge(self, age_s):
        self.fsm.purge(age_ms=age_s * 1_000)
        self.model.purge(self.now() - age_s * NS)

    @rule()
    def restart(self):
        self.fsm.restart()

    # Checks

    @rule(land=st.booleans(), restart=st.booleans())
    def replicate(self, land, restart):
        for data in self.fsm.log[self.fed :]:
            self.replica.feed(data, land)
        self.fed = len(self.fsm.log)
        if restart:
            self.replica.restart()

    @invariant()
    def every_entry_is_later_than_the_one_before(self):
        # The model has no notion of ticks inside an entry, so each step gets its own microsecond.
        if hasattr(self, "fsm"):
            self.fsm.clock.jump_to(max(self.fsm.clock.now_ns(), self.fsm.machine.state.meta.last_ns) + 1_000)

    @invariant()
    def documents_match_the_model(self):
        if not hasattr(self, "fsm"):
            return
        for job in self.model.jobs.values():
            document = self.fsm.job(job.id)
            assert document is not None, f"{job.id} should be {job.state}"
            assert document.state.label == job.state
            assert (document.attempt, document.lease_version) == (job.attempt, job.version)
            assert document.error_count == job.errors
        stored = sum(1 for key in self.fsm.dump() if key.startswith(b"j|"))
        assert stored == len(self.model.jobs)

    def teardown(self):
        if not hasattr(self, "fsm"):
            return
        assert list(check(self.fsm.kv)) == []
        for data in self.fsm.log[self.fed :]:
            self.replica.feed(data, land=False)
        self.replica.land()
        assert dict(self.replica.kv._values) == dict(self.fsm.kv._values)


Jobs.TestCase.settings = settings(stateful_step_count=60)
TestJobsAgainstTheModel = Jobs.TestCase
