"""Random histories, with a mirror writer that crashes, misses messages and lacks room: equal in the end."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corvo.actors.mirror.messages import AwaitMirror, RebuildMirror
from corvo.storage.leveldb import LevelDbKv
from tests.model.history import TURNS, Writers, tight_limits
from tests.storage.mirror.actors import Fed

pytestmark = pytest.mark.slow


class History(Writers):
    """A run of events drawn from a seed: much work, some bad luck, now and then a look at the mirror."""

    def __init__(self, seed, folder, kv=None):
        self.fed = Fed(folder, seed=seed, kv=kv)
        super().__init__(seed, self.fed.fsm)
        self.luck = {
            self.time_passes: 4,
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
            self.fill_disk: 0.7,
            self.free_disk: 2,
        }

    def go(self, steps, look_every):
        weights = TURNS | self.luck
        events = self.draw.choices(list(weights), list(weights.values()), k=steps)
        for number, event in enumerate(events, start=1):
            event() if event in self.luck else self.write(event)
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

    # The mirror

    def feed_some(self):
        self.fed.feed(self.draw.randrange(1, 6))

    def feed_all(self):
        self.fed.feed()

    def lose(self):
        self.fed.lose(self.draw.randrange(1, 3))

    def let_work(self):
        self.fed.advance(milliseconds=self.draw.choice([1, 100, 200, 1_500]))

    def somebody_waits(self):
        index = self.fsm.machine.index
        self.fed.system.ask(self.fed.writer, AwaitMirror(index, 500, self.draw.random() < 0.5)).cancel()

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


@pytest.fixture(scope="module", autouse=True)
def limits():
    with tight_limits():
        yield


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    numbers = count()
    return lambda: tmp_path_factory.mktemp(f"history-{next(numbers)}-")


@pytest.mark.timeout(600)
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
