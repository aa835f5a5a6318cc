"""A random history: every op there is, in entries of a few, with bad luck in between."""

from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from corvo.core import job
from corvo.fsm import cache, queue_head, state
from corvo.fsm.handlers import access, people
from corvo.fsm.machine import Machine
from corvo.fsm.rules import bulk_tasks, dependencies
from corvo.ops.entry import decode
from corvo.storage.invariants import check
from corvo.storage.leveldb import LevelDbKv
from tests.model.acting import TASKS_MAX
from tests.model.drawing import Drawing
from tests.model.letting_in import KEYS_MAX, ROLES_MAX
from tests.model.logging_in import SESSIONS_EACH_MAX, SESSIONS_MAX
from tests.model.looking import differences, seen
from tests.model.settling import TOLD_MAX
from tests.model.standing import Model
from tests.storage.mirror.support import Mirrored
from tests.support.fsm import Fsm

#: Who writes what, and how often they are the next to write.
WRITERS = (
    (8, ("Enqueue", "Enqueue", "EnqueueMany", "EnqueueMany", "OpenBatch", "SealBatch")),
    (14, ("Fetch", "Fetch", "Ack", "Ack", "Fail", "Heartbeat", "Release")),
    (6, ("Act", "Act", "ActMany", "PauseQueue", "LimitQueue", "ThrottleQueue")),
    (6, ("Promote", "Expire", "Reclaim", "Resolve", "CleanUnique")),
    (
        1,
        ("Purge", "PurgeBatches", "PurgeBulk", "CancelBulk", "CleanIdempotency", "TrimEvents", "TrimWorkers"),
    ),
    (0.5, ("ClearQueue", "DeleteQueue", "DeleteQueue", "Enqueue", "PauseQueue", "Fetch")),
    (3, ("CreateBulk", "AddBulkIds", "AddBulkIds", "StartBulk", "RunBulk", "RunBulk", "RunBulk")),
    (2, ("SetSchedule", "SetSchedule", "FireSchedule", "FireSchedule", "RunSchedule", "DeleteSchedule")),
    (1, ("SetWebhook", "AdvanceWebhooks", "SwitchWebhook", "RewindWebhook", "DeleteWebhook")),
    (1, ("SetKey", "SetKey", "RotateKey", "TouchKeys", "SetRole", "GrantRole", "DeleteRole", "DeleteKey")),
    (0.5, ("SetSession", "SetSession", "SetSession", "TrimSessions", "DeleteSession", "SetSso")),
    (0.4, ("SetNamespace", "SetNamespace", "SetNamespace", "DeleteNamespace")),
    (
        2,
        (
            "Act",
            "WriteAudit",
            "CreateBulk",
            "WriteAudit",
            "PauseQueue",
            "ActMany",
            "ExtendAudit",
            "WriteAudit",
        ),
    ),
    (0.5, ("TrimAudit", "WriteAudit")),
    (0.5, ("Report", "SetSharedSettings", "Reseal")),
)
#: The same as a table to draw from; and now and then everybody at once.
TURNS = {names: weight for weight, names in WRITERS}
TURNS[tuple(name for names in TURNS for name in names)] = 2
#: Where there is such a disk, opening a store takes no longer than a history.
_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
#: What happens to nodes, and how often.
LUCK = {
    "time_passes": 8,
    "nothing": 1,
    "restart": 1,
    "replicate": 3,
    "follower_restarts": 1,
    "mirror_catches_up": 1,
}


@contextmanager
def tight_limits():
    """So that a small history meets what takes thousands of jobs otherwise. The model knows some of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependencies, "DEPENDENTS_TOLD_MAX", TOLD_MAX)
        patch.setattr(access, "KEYS_MAX", KEYS_MAX)
        patch.setattr(access, "ROLES_MAX", ROLES_MAX)
        patch.setattr(people, "SESSIONS_MAX", SESSIONS_MAX)
        patch.setattr(people, "SESSIONS_EACH_MAX", SESSIONS_EACH_MAX)
        patch.setattr(bulk_tasks, "BULK_TASKS_UNFINISHED_MAX", TASKS_MAX)
        patch.setattr(job, "ERRORS_KEPT_MAX", 2)
        patch.setattr(queue_head, "WINDOW_KEYS", 2)
        patch.setattr(cache, "GENERATION_BYTES", 2_000)
        patch.setattr(state, "_WARM_MIN", 2)
        yield


class Follower:
    """Gets the log alone, and lags behind with its store."""

    def __init__(self, kv):
        self.kv = kv
        self.machine = Machine(kv)
        self.unlanded = []

    def feed(self, log):
        for data in log[self.machine.index - 1 :]:
            self.unlanded.append(self.machine.apply(self.machine.index + 1, 1, decode(data)))

    def land(self):
        for applied in self.unlanded:
            self.kv.write(applied.writes, sync=False)
            self.machine.state.store.landed(applied.index)
        self.unlanded.clear()


class Writers:
    """Everybody who writes: their ops go to the state machine and to the model, which must agree."""

    def __init__(self, seed, fsm):
        self.fsm = fsm
        self.model = Model()
        self.draw = Drawing(seed, fsm, self.model)

    def write(self, names):
        """One to four ops in one entry; now and then as a request that may be repeated."""
        ops = [getattr(self.draw, name)() for name in self.draw.choices(names, k=self.draw.one(1, 1, 2, 4))]
        self.apply(self.draw.Once(ops) if self.draw.random() < 0.1 else ops)

    def nothing(self):
        """An entry of consensus itself."""
        self.apply([])

    def apply(self, ops):
        answers = self.fsm.apply(*ops)
        expected = self.model.play(self.fsm.machine.index, self.fsm.clock.now_ns(), ops)
        wrong = [
            f"{op} is answered {has}, should be {should}"
            for op, has, should in zip(ops, map(seen, answers), map(seen, expected), strict=True)
            if has != should
        ]
        wrong += differences(self.fsm.kv, self.model)
        assert not wrong, "\n".join([f"entry {self.fsm.machine.index}: {ops}", *wrong])

    def time_passes(self):
        # A clock may also go back: the state machine must not believe it over its own history.
        self.fsm.clock.advance(
            ms=self.draw.one(1, 1, 900, 900, 2_500, 2_500, 12_000, 45_000, -30_000, 90_000_000)
        )


class History(Writers):
    def __init__(self, seed, folder):
        super().__init__(seed, Fsm(LevelDbKv(folder / "kv", create=True)))
        self.follower = Follower(LevelDbKv(folder / "follower", create=True))
        self.mirrored = Mirrored(self.fsm, folder / "mirror")

    def go(self, steps):
        turns = TURNS | LUCK
        for turn in self.draw.choices(list(turns), list(turns.values()), k=steps):
            getattr(self, turn)() if turn in LUCK else self.write(turn)

    # Luck

    def restart(self):
        self.fsm.restart()

    def replicate(self):
        self.follower.feed(self.fsm.log)
        if self.draw.yes():
            self.follower.land()

    def follower_restarts(self):
        self.follower.land()
        self.follower.machine = Machine(self.follower.kv)

    def mirror_catches_up(self):
        self.mirrored.flush()

    # The end

    def end(self):
        wrong = list(check(self.fsm.kv))
        wrong += _misremembered(self.fsm.machine.state, Machine(self.fsm.kv).state)
        self.mirrored.flush()
        wrong += self.mirrored.differences()
        assert not wrong, "\n".join(wrong)
        self.follower.feed(self.fsm.log)
        self.follower.land()
        assert _everything(self.follower.kv) == _everything(self.fsm.kv)

    def close(self):
        self.mirrored.close()
        self.fsm.kv.close()
        self.follower.kv.close()


def record(seed, steps):
    """The log of a history, entry by entry."""
    writers = Writers(seed, Fsm())
    turns = TURNS | {"time_passes": 8, "nothing": 1}
    with tight_limits():
        for turn in writers.draw.choices(list(turns), list(turns.values()), k=steps):
            getattr(writers, turn)() if isinstance(turn, str) else writers.write(turn)
    return writers.fsm.log


def run(seed, steps):
    with TemporaryDirectory(dir=_MEMORY) as folder, closing(History(seed, Path(folder))) as history:
        history.go(steps)
        history.end()


def _misremembered(state, fresh):
    """What a node that has run for long keeps in memory is what the store says."""
    for name in state.holdings.keys() | fresh.holdings.keys():
        has, should = (
            held and (held.jobs, held.payload_bytes, sorted(held.queues))
            for held in (state.holdings.get(name), fresh.holdings.get(name))
        )
        if has != should:
            yield f"namespace {name} is remembered to hold {has}, but holds {should}"
    for what in ("namespaces", "guarded", "schedules", "bulk_unfinished", "active_by_worker", "workers"):
        if getattr(state, what) != getattr(fresh, what):
            yield f"{what} are remembered as {getattr(state, what)}, but are {getattr(fresh, what)}"


def _everything(kv):
    return list(kv.scan(b"\0", b"\xff"))
