"""Random histories, with a mirror writer that crashes, misses messages and lacks room: equal in the end."""

import contextlib
import random
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corvo.actors.mirror_messages import AwaitMirror, RebuildMirror
from corvo.core.errors import CorvoError
from corvo.core.job import Priority
from corvo.ops.job_admin import Action
from corvo.ops.upkeep import TrimEvents
from corvo.storage.leveldb import LevelDbKv
from tests.storage.mirror.actors import Fed

QUEUES = ("a", "b", "c")
NS = 1_000_000_000


class History(random.Random):
    """A run of events drawn from a seed: much work, some bad luck, now and then a look at the mirror."""

    def __init__(self, seed, folder, kv=None):
        super().__init__(seed)
        self.fed = Fed(folder, seed=seed, kv=kv)
        self.fsm = self.fed.fsm
        self.ids = []
        self.events = {
            self.enqueue: 12,
            self.fetch: 10,
            self.work: 20,
            self.act: 8,
            self.time_passes: 4,
            self.upkeep: 4,
            self.purge: 1,
            self.nothing: 2,
            self.feed_some: 20,
            self.feed_all: 6,
            self.let_work: 8,
            self.somebody_waits: 3,
            self.lose: 2,
            self.crash: 0.5,
            self.restart: 0.5,
            self.kill: 0.5,
            self.rebuild: 0.3,
            self.trim: 0.3,
            self.fill_disk: 0.7,
            self.free_disk: 2,
        }

    def go(self, steps, look_every):
        events = self.choices(list(self.events), list(self.events.values()), k=steps)
        for number, event in enumerate(events, start=1):
            event()
            if number % look_every == 0:
                self.look()

    def look(self):
        self.free_disk()
        self.fed.catch_up()
        self.fed.settle()
        assert self.fed.differences() == []

    def end(self):
        """Once more when all words are indexed, and once more when the file is closed."""
        self.look()
        self.fed.advance(seconds=5)
        assert self.fed.differences() == []
        self.fed.close()
        assert self.fed.differences() == []

    # Jobs

    def enqueue(self):
        now_ns = self.fsm.clock.now_ns()
        size = self.choice([10, 10, 10, 2_000])
        new = [
            self.fsm.new_job(
                self.choice(QUEUES),
                b'{"n":%d,"text":"%s"}' % (n, b"x" * size),
                priority=self.choice(list(Priority)),
                max_retries=self.randrange(4),
                scheduled_ns=self.choice([None, None, now_ns + 5 * NS]),
                expire_after_ms=self.choice([None, None, 20_000]),
                tags=self.choice([None, {"a": "b"}]),
                unique_key=self.choice([None, None, "k"]),
            )
            for n in range(self.randrange(1, 5))
        ]
        self.ids += self.fsm.enqueue_many(*new)

    def fetch(self):
        self.fsm.fetch(self.choice(QUEUES), count=self.randrange(1, 6), lease_ms=10_000)

    def work(self):
        active = [job_id for job_id in self.ids if self.fsm.state(job_id) == "active"]
        if active:
            verb = self.choice([self.fsm.ack, self.fsm.fail, self.fsm.fail, self.fsm.release, self.fsm.beat])
            verb(self.choice(active))

    def act(self):
        if not self.ids:
            return
        action = self.choice(list(Action))
        arguments = {Action.MOVE: {"queue": "moved"}, Action.CHANGE_PRIORITY: {"priority": Priority.HIGH}}
        # Many are refused; those are entries that change nothing.
        with contextlib.suppress(CorvoError):
            self.fsm.act(action, self.choice(self.ids), **arguments.get(action, {}))

    def time_passes(self):
        self.fsm.clock.advance(s=self.choice([1, 12, 60]))

    def upkeep(self):
        self.fsm.promote()
        self.fsm.reclaim(losses_max=3)
        self.fsm.expire()

    def purge(self):
        self.fsm.purge(age_ms=self.choice([0, 30_000]))

    def nothing(self):
        self.fsm.apply()

    def trim(self):
        self.fsm.one(TrimEvents(keep=self.randrange(1, 30), at_before_ns=0, limit=1_000))

    # The mirror

    def feed_some(self):
        self.fed.feed(self.randrange(1, 6))

    def feed_all(self):
        self.fed.feed()

    def lose(self):
        self.fed.lose(self.randrange(1, 3))

    def let_work(self):
        self.fed.advance(milliseconds=self.choice([1, 100, 200, 1_500]))

    def somebody_waits(self):
        index = self.fsm.machine.index
        self.fed.system.ask(self.fed.writer, AwaitMirror(index, 500, self.random() < 0.5)).cancel()

    def rebuild(self):
        self.fed.system.ask(self.fed.writer, RebuildMirror()).cancel()

    def crash(self):
        self.fed.system.crash(self.fed.writer)

    def restart(self):
        self.fed.restart()

    def kill(self):
        if self.fed.writer.instance is not None:
            self.fed.kill()

    def fill_disk(self):
        self._limit_pages(0)

    def free_disk(self):
        self._limit_pages(1_000_000)

    def _limit_pages(self, more):
        instance = self.fed.writer.instance
        if instance is not None and instance._mirror.is_open:
            db = instance._mirror._db
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages + more}")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    numbers = count()
    return lambda: tmp_path_factory.mktemp(f"history-{next(numbers)}-")


@given(seed=st.integers(0, 1 << 32))
def test_the_mirror_equals_the_store_whatever_happened(folders, seed):
    history = History(seed, folders())
    history.go(steps=150, look_every=50)
    history.end()


@settings(max_examples=5)
@given(seed=st.integers(0, 1 << 32))
def test_the_mirror_of_leveldb_does_so_too(folders, seed):
    kv = LevelDbKv(folders() / "kv", create=True)
    history = History(seed, folders(), kv)
    history.go(steps=150, look_every=50)
    history.end()
    kv.close()
