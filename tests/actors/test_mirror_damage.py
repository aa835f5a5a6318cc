"""Whatever happens to the file, or to the disk: the mirror comes back, and nobody else is disturbed."""

import random
import shutil
import sqlite3

import pytest

from corvo.actors import mirror_builder
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.mirror_messages import AwaitMirror, MirrorDamaged, MirrorRebuilt, RebuildMirror
from corvo.actors.mirror_writer import MirrorWriter
from corvo.core.clock import SystemClock
from corvo.core.errors import Unhealthy
from corvo.storage.leveldb import LevelDbKv
from corvo.storage.memory import MemoryKv
from corvo.storage.mirror import database
from corvo.storage.mirror.compare import compare
from tests.storage.mirror.actors import Fed, Listener
from tests.support.fsm import Fsm


@pytest.fixture
def fed(tmp_path):
    """A writer with a few hundred jobs, which must all be there again when the test is over."""
    fed = Fed(tmp_path / "mirror")
    new = [fed.fsm.new_job(f"q{n % 7}", b'{"n":%d,"text":"%s"}' % (n, b"x" * (n % 90))) for n in range(300)]
    fed.fsm.enqueue_many(*new)
    fed.catch_up()
    yield fed
    fed.catch_up()
    fed.settle()
    assert fed.differences() == []
    assert fed.system.stats().crashes == 0
    fed.close()


def rebuilds(fed):
    return fed.rebuild_status()["ran"]


def live_on(fed, seconds=10):
    """Jobs come and go while time passes."""
    for _ in range(seconds):
        job = fed.fsm.lease(None, *(f"q{n}" for n in range(7)))
        fed.fsm.ack(job.id, job.lease.token)
        fed.fsm.enqueue("q0")
        fed.feed()
        fed.advance(seconds=1)


def change(path, sql):
    db = sqlite3.connect(path)
    db.execute(sql)
    db.commit()
    db.close()


def read_from_disk(fed):
    """Have nothing in memory and in the log, as if the file were too large for that."""
    fed.mirror._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fed.mirror._db.execute("PRAGMA shrink_memory")


def scribble(path, seed):
    """Random bytes over a third of the pages, the first one among them."""
    with path.open("r+b") as file:
        pages = path.stat().st_size // 4_096
        for page in {0, *random.Random(seed).sample(range(pages), pages // 3)}:
            file.seek(page * 4_096)
            file.write(random.Random(page).randbytes(4_096))


# While serving


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda path: path.unlink(), id="deleted"),
        pytest.param(lambda path: shutil.rmtree(path.parent), id="deleted with its folder"),
        pytest.param(lambda path: path.rename(path.with_name("elsewhere")), id="renamed"),
        pytest.param(lambda path: (path.unlink(), path.write_bytes(b"")), id="replaced by nothing"),
        pytest.param(
            lambda path: (path.unlink(), path.write_bytes(b"x" * 9_000)), id="replaced by something"
        ),
        pytest.param(lambda path: change(path, "UPDATE mirror SET schema_version = 99"), id="other version"),
        pytest.param(lambda path: change(path, "DROP TABLE errors"), id="table dropped"),
        pytest.param(lambda path: change(path, "DROP TABLE jobs"), id="jobs dropped"),
        pytest.param(lambda path: change(path, "DELETE FROM mirror"), id="emptied"),
    ],
)
def test_a_file_that_is_spoiled_while_serving_is_replaced(fed, spoil):
    before = rebuilds(fed)
    job = fed.fsm.lease(None, "q0")
    fed.fsm.fail(job.id, job.lease.token)  # So that the errors are needed, too.
    spoil(fed.path)
    live_on(fed)
    assert rebuilds(fed) == before + 1


@pytest.mark.parametrize("seed", range(4))
def test_a_file_with_random_bytes_in_it_is_replaced(fed, seed):
    before = rebuilds(fed)
    read_from_disk(fed)
    scribble(fed.path, seed)
    live_on(fed)
    assert rebuilds(fed) > before


@pytest.mark.parametrize("size", [0, 100, 4_096, 50_000])
def test_a_file_that_is_cut_off_is_replaced(fed, size):
    before = rebuilds(fed)
    read_from_disk(fed)
    with fed.path.open("r+b") as file:
        file.truncate(size)
    live_on(fed)
    assert rebuilds(fed) > before


def test_damage_that_only_a_reader_sees_is_believed(fed):
    before = fed.path
    fed.system.tell(fed.writer, MirrorDamaged(before, "malformed"))
    fed.settle()
    assert fed.path != before


def test_a_reader_that_always_complains_is_not_believed_for_ever(fed):
    before = rebuilds(fed)
    for _ in range(5):
        fed.system.tell(fed.writer, MirrorDamaged(fed.path, "malformed"))
        fed.settle()
    assert rebuilds(fed) == before + 1
    fed.advance(minutes=2)
    fed.system.tell(fed.writer, MirrorDamaged(fed.path, "malformed"))
    fed.settle()
    assert rebuilds(fed) == before + 2


def test_a_complaint_about_a_file_that_is_gone_means_nothing(fed):
    before = rebuilds(fed)
    fed.system.tell(fed.writer, MirrorDamaged(fed.folder / "mirror-0.db", "missing"))
    fed.settle()
    assert rebuilds(fed) == before


# At start


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda fed: fed.path.unlink(), id="deleted"),
        pytest.param(lambda fed: shutil.rmtree(fed.folder), id="deleted with its folder"),
        pytest.param(lambda fed: fed.path.write_bytes(b"x" * 9_000), id="something else"),
        pytest.param(lambda fed: scribble(fed.path, 1), id="random bytes"),
        pytest.param(lambda fed: change(fed.path, "UPDATE mirror SET schema_version = 0"), id="old version"),
        pytest.param(
            lambda fed: change(fed.path, "UPDATE mirror SET applied_index = 99999"), id="ahead of the store"
        ),
        pytest.param(
            lambda fed: change(fed.path, "UPDATE mirror SET clean = 0, boot_id = 'another'"), id="power cut"
        ),
    ],
)
def test_a_file_that_cannot_be_trusted_at_start_is_replaced(fed, spoil):
    fed.system.stop()
    spoil(fed)
    fed.start()
    assert rebuilds(fed) == 1
    assert fed.differences() == []


# On request


def test_a_rebuild_on_request_says_how_long_it_took(fed):
    before = fed.path
    answer = fed.ask(RebuildMirror())
    assert isinstance(answer, MirrorRebuilt)
    assert answer.jobs == 300
    assert fed.path != before
    figures = fed.rebuild_status()
    assert (figures["jobs"], figures["jobs_expected"], figures["running"]) == (300, 300, False)
    assert (figures["last_success"], figures["last_error"]) == (True, None)
    assert figures["last_started_at"].endswith("Z")


def test_two_who_ask_at_once_get_one_rebuild(fed):
    before = rebuilds(fed)
    answers = [fed.system.ask(fed.writer, RebuildMirror()) for _ in range(2)]
    assert [answer.result().jobs for answer in answers] == [300, 300]
    assert rebuilds(fed) == before + 1


def test_readers_of_the_old_file_can_go_on_reading_it(fed):
    old = database.open_reader(fed.path)
    fed.ask(RebuildMirror())
    live_on(fed, 3)
    assert old.execute("SELECT count(*) FROM jobs").fetchone() == (300,)
    old.close()


def test_entries_are_taken_in_while_a_rebuild_runs(fed):
    answer = fed.system.ask(fed.writer, RebuildMirror())
    fed.system.run(lambda: fed.writer.instance._builder is not None)
    fed.fsm.enqueue()
    fed.feed()
    fed.ask(AwaitMirror(fed.fsm.machine.index, 1_000))
    assert answer.result().jobs in (300, 301)


def test_a_rebuild_that_fails_says_so_and_the_old_file_stays(fed, monkeypatch):
    before = fed.path

    def fails(kv, folder):
        raise sqlite3.OperationalError("database or disk is full")
        yield

    monkeypatch.setattr(mirror_builder, "build", fails)
    with pytest.raises(Unhealthy, match="disk is full"):
        fed.ask(RebuildMirror())
    live_on(fed, 2)
    assert fed.path == before
    assert fed.rebuild_status()["last_success"] is False
    assert "disk is full" in fed.rebuild_status()["last_error"]


def test_a_rebuild_that_is_needed_is_tried_again_until_it_succeeds(fed, monkeypatch):
    build, attempts = mirror_builder.build, []

    def fails_twice(kv, folder):
        attempts.append(1)
        if len(attempts) < 3:
            raise OSError("no room")
        yield from build(kv, folder)

    monkeypatch.setattr(mirror_builder, "build", fails_twice)
    fed.path.unlink()
    live_on(fed, 20)
    assert len(attempts) == 3


def test_a_builder_that_crashes_is_a_rebuild_that_failed(tmp_path, monkeypatch):
    fed = Fed(tmp_path)

    def crashes(kv, folder):
        raise ZeroDivisionError
        yield

    with monkeypatch.context() as patch:
        patch.setattr(mirror_builder, "build", crashes)
        with pytest.raises(Unhealthy, match="the builder crashed"):
            fed.ask(RebuildMirror())
    assert fed.ask(RebuildMirror()).jobs == 0
    fed.close()


def test_a_node_that_stops_in_the_middle_of_a_rebuild_leaves_nothing_behind(fed):
    fed.system.ask(fed.writer, RebuildMirror()).cancel()
    fed.system.run((fed.folder / "building.db").exists)
    fed.restart()
    assert not list(fed.folder.glob("building*"))


# The disk


def test_a_full_disk_delays_the_mirror_but_loses_nothing(fed):
    db = fed.mirror._db
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages}")
    for _ in range(5):
        fed.fsm.enqueue_many(*(fed.fsm.new_job(payload=b'"%s"' % (b"y" * 900)) for _ in range(50)))
        fed.feed()
        fed.advance(seconds=1)
    figures = fed.status()
    assert figures["stale"]
    assert figures["failures"] > 1

    before = rebuilds(fed)
    db.execute("PRAGMA max_page_count = 1000000")
    fed.advance(seconds=3)
    assert not fed.status()["stale"]
    assert rebuilds(fed) == before


def test_somebody_who_holds_a_lock_delays_the_mirror_but_loses_nothing(fed, monkeypatch):
    fed.mirror._db.execute("PRAGMA busy_timeout = 1")
    theirs = sqlite3.connect(fed.path, isolation_level=None)
    theirs.execute("BEGIN IMMEDIATE")
    fed.fsm.enqueue()
    fed.feed()
    fed.advance(milliseconds=500)
    assert fed.status()["stale"]
    theirs.execute("ROLLBACK")
    theirs.close()
    fed.advance(seconds=3)
    assert not fed.status()["stale"]


class ClosableKv(MemoryKv):
    """Behaves as LevelDB does while it is closed and opened again."""

    closed = False

    def get(self, key):
        if self.closed:
            raise RuntimeError("Database is closed")
        return super().get(key)

    def snapshot(self):
        if self.closed:
            raise RuntimeError("Cannot operate on closed LevelDB database")
        return super().snapshot()


def test_a_store_that_is_closed_for_a_while_is_waited_for(tmp_path):
    fed = Fed(tmp_path, kv=ClosableKv())
    fed.fsm.enqueue()
    fed.lose()
    fed.fsm.enqueue()
    fed.kv.closed = True
    fed.feed()
    fed.advance(seconds=3)
    assert fed.status()["stale"]
    with pytest.raises(Unhealthy, match="closed"):
        fed.ask(RebuildMirror())

    fed.kv.closed = False
    fed.advance(seconds=3)
    assert fed.differences() == []
    assert fed.system.stats().crashes == 0
    fed.close()


# On the loop, on LevelDB


async def test_a_mirror_of_leveldb_on_its_own_thread(tmp_path):
    kv = LevelDbKv(tmp_path / "kv", create=True)
    fsm = Fsm(kv)
    for n in range(3_000):
        fsm.enqueue(payload=b'{"n":%d}' % n)
    system = ActorSystem()
    writer = system.createActor(
        MirrorWriter, kv, system.createActor(Listener), tmp_path / "mirror", SystemClock()
    )
    reached = await system.ask(writer, AwaitMirror(fsm.machine.index, 30_000))
    assert list(compare(kv, reached.path)) == []

    kv.reopen()
    rebuilt = await system.ask(writer, RebuildMirror())
    assert rebuilt.jobs == 3_000
    assert await system.stop(timeout=5) == ()
    kv.close()
