"""Whatever happens to the file, or to the disk: the mirror comes back, and nobody else is disturbed."""

import random
import shutil
import sqlite3

import pytest

from corvo.actors.mirror.messages import MirrorDamaged, RebuildMirror
from corvo.core.errors import Unhealthy
from corvo.storage.memory import MemoryKv
from tests.storage.mirror.actors import Fed, populated


@pytest.fixture
def fed(tmp_path):
    """A writer with a few hundred jobs, which must all be there again when the test is over."""
    fed = populated(tmp_path / "mirror")
    yield fed
    fed.catch_up()
    fed.settle()
    assert fed.differences() == []
    assert fed.system.stats().crashes == 0
    fed.close()


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
    before = fed.rebuilds()
    job = fed.fsm.lease(None, "q0")
    fed.fsm.fail(job.id, job.lease.token)  # So that the errors are needed, too.
    spoil(fed.path)
    fed.live_on()
    assert fed.rebuilds() == before + 1


@pytest.mark.parametrize("seed", range(4))
def test_a_file_with_random_bytes_in_it_is_replaced(fed, seed):
    before = fed.rebuilds()
    read_from_disk(fed)
    scribble(fed.path, seed)
    fed.live_on()
    assert fed.rebuilds() > before


@pytest.mark.parametrize("size", [0, 100, 4_096, 50_000])
def test_a_file_that_is_cut_off_is_replaced(fed, size):
    before = fed.rebuilds()
    read_from_disk(fed)
    with fed.path.open("r+b") as file:
        file.truncate(size)
    fed.live_on()
    assert fed.rebuilds() > before


def test_damage_that_only_a_reader_sees_is_believed(fed):
    before = fed.path
    fed.system.tell(fed.writer, MirrorDamaged(before, "malformed"))
    fed.settle()
    assert fed.path != before


def test_a_reader_that_always_complains_is_not_believed_for_ever(fed):
    before = fed.rebuilds()
    for _ in range(5):
        fed.system.tell(fed.writer, MirrorDamaged(fed.path, "malformed"))
        fed.settle()
    assert fed.rebuilds() == before + 1
    fed.advance(minutes=2)
    fed.system.tell(fed.writer, MirrorDamaged(fed.path, "malformed"))
    fed.settle()
    assert fed.rebuilds() == before + 2


def test_a_complaint_about_a_file_that_is_gone_means_nothing(fed):
    before = fed.rebuilds()
    fed.system.tell(fed.writer, MirrorDamaged(fed.folder / "mirror-0.db", "missing"))
    fed.settle()
    assert fed.rebuilds() == before


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
    assert fed.rebuilds() == 1
    assert fed.differences() == []


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
    assert figures.stale
    assert figures.failures > 1

    before = fed.rebuilds()
    db.execute("PRAGMA max_page_count = 1000000")
    fed.advance(seconds=3)
    assert not fed.status().stale
    assert fed.rebuilds() == before


def test_somebody_who_holds_a_lock_delays_the_mirror_but_loses_nothing(fed, monkeypatch):
    fed.mirror._db.execute("PRAGMA busy_timeout = 1")
    theirs = sqlite3.connect(fed.path, isolation_level=None)
    theirs.execute("BEGIN IMMEDIATE")
    fed.fsm.enqueue()
    fed.feed()
    fed.advance(milliseconds=500)
    assert fed.status().stale
    theirs.execute("ROLLBACK")
    theirs.close()
    fed.advance(seconds=3)
    assert not fed.status().stale


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
    assert fed.status().stale
    with pytest.raises(Unhealthy, match="closed"):
        fed.ask(RebuildMirror())

    fed.kv.closed = False
    fed.advance(seconds=3)
    assert fed.differences() == []
    assert fed.system.stats().crashes == 0
    fed.close()
