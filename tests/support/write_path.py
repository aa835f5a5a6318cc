"""The whole write path as actors in virtual time: everything but sockets, disks and pysyncobj."""

from datetime import timedelta
from random import Random

from corvo.actors.events.throughput import Throughput
from corvo.actors.fetch.fetch_desk import FetchDesk
from corvo.actors.fetch.messages import Wait
from corvo.actors.kernel.sim import SimSystem
from corvo.actors.state.consensus_listener import ConsensusListener
from corvo.actors.state.fsm import Fsm
from corvo.actors.state.store_writer import StoreWriter
from corvo.actors.time.schedule_firer import ScheduleFirer
from corvo.actors.time.scheduler import Scheduler
from corvo.actors.time.upkeep_tasks import UpkeepSettings, tasks
from corvo.actors.write.batcher import Batcher, BatchSettings
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.proposer import Proposer
from corvo.consensus.api import ConsensusStatus, Position, Role
from corvo.core.clock import NS_PER_S
from corvo.core.errors import CorvoError, StorageFull
from corvo.core.ids import IdSource
from corvo.fsm.machine import Machine
from corvo.observe.histogram import Histogram
from corvo.storage.memory import MemoryKv
from tests.support.fsm import Fsm as Builder

UPKEEP = UpkeepSettings(
    max_lease_expirations=3,
    retention_ns=3_600 * NS_PER_S,
    retention_interval_ns=60 * NS_PER_S,
    events_kept=10_000,
    events_age_ns=86_400 * NS_PER_S,
    audit_kept=5,
    audit_age_ns=86_400 * NS_PER_S,
)


class InstantConsensus:
    """A group of one that agrees with itself at once; it can be told to hesitate, refuse or lose things."""

    def __init__(self):
        self.machine = None
        self.index = 1
        self.log = []
        self.stored_index = 0
        self.refusal = None
        self.hold = False
        self.held = []

    def lead(self):
        self.machine.role_changed(Role.LEADER, 1, "n1")

    def propose(self, command, ticket):
        if self.refusal is not None:
            raise self.refusal
        if self.hold:
            self.held.append((command, ticket))
        else:
            self._commit(command, ticket)

    def let_go(self):
        self.hold = False
        held, self.held = self.held, []
        for command, ticket in held:
            self._commit(command, ticket)

    def lose_held(self):
        held, self.held = self.held, []
        for _, ticket in held:
            self.machine.lost(ticket)

    def decided_elsewhere(self, command):
        """An entry that another node proposed."""
        self._commit(command, None)

    def _commit(self, command, ticket):
        self.index += 1
        self.log.append(command)
        self.machine.committed(Position(self.index, 1), command, ticket)

    def stored(self, position):
        assert position.index >= self.stored_index
        self.stored_index = position.index

    def status(self):
        return ConsensusStatus(
            node_id="n1",
            role=Role.LEADER,
            term=1,
            leader_id="n1",
            commit_index=self.index,
            applied_index=self.index,
            stored_index=self.stored_index,
            log_first_index=1,
            log_last_index=self.index,
            log_bytes=0,
            has_quorum=True,
            sync_time=Histogram(),
            peers={},
        )


class FullKv(MemoryKv):
    """A store whose disk can be full, and which then needs to be opened again, like LevelDB."""

    def __init__(self):
        super().__init__()
        self.full = False
        self.broken = False
        self.reopened = 0

    def write(self, writes, *, sync):
        if self.full or self.broken:
            self.broken = True
            raise StorageFull("the disk is full")
        super().write(writes, sync=sync)

    def adopt(self, other):
        self._values, self._sorted = dict(other.scan(b"", b"\xff")), None

    def try_reopen(self):
        if self.full:
            return False
        self.broken = False
        self.reopened += 1
        return True


class WritePath:
    """One node without its edge. Given the store of another one, it goes on where that one was killed."""

    def __init__(self, seed=0, *, batching=None, claims_max=32, kv=None, clock=None):
        self.system = SimSystem(seed, clock=clock)
        self.clock = self.system.clock
        self.kv = kv or FullKv()
        self.consensus = InstantConsensus()
        self.machine = Machine(self.kv)
        self.consensus.index = self.machine.index
        self.writer = self.system.createActor(StoreWriter, self.kv, sync=True)
        self.fsm = self.system.createActor(Fsm, self.machine, self.writer, self.kv, self.clock)
        self.feed = ConsensusListener(self.system, self.fsm, self.kv, Position(self.machine.index, 0))
        self.consensus.machine = self.feed
        self.proposer = self.system.createActor(Proposer, self.consensus, self.fsm)
        self.feed.proposer = self.proposer
        self.batcher = self.system.createActor(
            Batcher, self.proposer, self.fsm, batching or BatchSettings(), self.clock, Random(seed)
        )
        self.desk = self.system.createActor(FetchDesk, self.batcher, self.fsm, claims_max, self.clock)
        self.scheduler = self.system.createActor(Scheduler, self.batcher, self.fsm, tasks(UPKEEP), self.clock)
        self.schedule_firer = self.system.createActor(ScheduleFirer, self.batcher, self.fsm, self.clock)
        self.throughput = self.system.createActor(Throughput, self.fsm, self.clock)
        self.consensus.lead()
        self._builder = Builder(MemoryKv(), self.clock)
        self._builder.ids = IdSource(self.clock, random_bits=lambda bits: seed)
        self._wait_ids = 0
        #: Crashes that a test wanted.
        self.crashes = 0
        self.system.run_until_idle()

    def new_job(self, queue="q", **fields):
        return self._builder.new_job(queue, **fields)

    def submit(self, *ops, size_bytes=100, clients=1):
        """A question that can be asked later for its result."""
        return Pending(self.system.ask(self.batcher, Submit(ops, size_bytes, clients=clients)))

    def do(self, *ops):
        """Submit and wait; the outcomes."""
        return self.submit(*ops).outcomes()

    def wait(self, *queues, count=1, wait_s=30, worker="w1", lease_ms=60_000, once=None):
        self._wait_ids += 1
        wait_ms = int(wait_s * 1_000)
        wait = Wait(self._wait_ids, queues or ("q",), worker, "host", lease_ms, count, wait_ms, once)
        answer = self.system.ask(self.desk, wait)
        answer.wait_id = self._wait_ids
        return answer

    def crash(self, actor):
        """Let an actor crash, unless it is just being restarted after the last time."""
        before = self.system.stats().crashes
        self.system.crash(actor)
        self.crashes += self.system.stats().crashes - before

    def advance(self, seconds=0.0):
        self.system.advance(timedelta(seconds=seconds))

    def settle(self):
        self.system.run_until_idle()

    @property
    def entries(self):
        """How many entries were written to the log."""
        return len(self.consensus.log)


class Pending:
    """A submit under way."""

    def __init__(self, answer):
        self._answer = answer

    def done(self):
        return self._answer.done()

    def answer(self):
        answer = self._answer.result()
        if isinstance(answer, Declined):
            raise answer.error
        assert isinstance(answer, Answer)
        return answer

    def outcomes(self):
        outcomes = self.answer().outcomes
        for outcome in outcomes:
            if isinstance(outcome, CorvoError):
                raise outcome
        return outcomes
