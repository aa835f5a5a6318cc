"""One suite for both stores behind the Kv protocol, and for the overlay on top of them."""

import pytest

from corvo.storage.leveldb import LevelDbKv, StoreBusy, StoreDamaged
from corvo.storage.memory import MemoryKv
from corvo.storage.overlay import Overlay
from corvo.storage.tx import Tx


@pytest.fixture(params=["memory", "leveldb"])
def kv(request, tmp_path):
    kv = MemoryKv() if request.param == "memory" else LevelDbKv(tmp_path / "db", create=True)
    yield kv
    kv.close()


def put(kv, *names):
    kv.write({name: b"v" + name for name in names}, sync=True)


def scanned(reader, start=b"a", stop=b"az"):
    return [key for key, _ in reader.scan(start, stop)]


def test_what_was_written_can_be_read(kv):
    put(kv, b"a1")
    assert kv.get(b"a1") == b"va1"
    assert kv.get(b"a2") is None


def test_a_write_puts_and_deletes_at_once(kv):
    put(kv, b"a1", b"a2")
    kv.write({b"a1": None, b"a3": b"new", b"missing": None}, sync=False)
    assert scanned(kv) == [b"a2", b"a3"]


def test_a_scan_is_ordered_and_leaves_out_its_end(kv):
    put(kv, b"a3", b"a1", b"a2", b"b1")
    assert scanned(kv, b"a1", b"a3") == [b"a1", b"a2"]


def test_a_scan_sees_the_store_as_it_was_when_it_began(kv):
    put(kv, b"a1", b"a2")
    pairs = kv.scan(b"a", b"az")
    put(kv, b"a3")
    assert [key for key, _ in pairs] == [b"a1", b"a2"]


def test_a_snapshot_does_not_change(kv):
    put(kv, b"a1")
    snapshot = kv.snapshot()
    put(kv, b"a2")
    assert scanned(snapshot) == [b"a1"]
    assert snapshot.get(b"a2") is None
    snapshot.close()


# The overlay


def test_the_overlay_answers_for_what_has_not_landed(kv):
    put(kv, b"a1", b"a2", b"a4")
    overlay = Overlay(kv)
    overlay.lay(5, {b"a1": None, b"a2": b"two", b"a3": b"three", b"b1": b"other"})

    assert overlay.get(b"a1") is None
    assert overlay.get(b"a2") == b"two"
    assert list(overlay.scan(b"a", b"az")) == [(b"a2", b"two"), (b"a3", b"three"), (b"a4", b"va4")]


def test_what_has_landed_leaves_the_overlay_unless_it_was_written_again(kv):
    overlay = Overlay(kv)
    overlay.lay(5, {b"a1": b"old", b"a2": b"two"})
    overlay.lay(6, {b"a1": b"new"})
    kv.write({b"a1": b"old", b"a2": b"two"}, sync=False)

    overlay.landed(5)

    assert overlay.get(b"a1") == b"new"
    assert [index for index, _ in overlay.waiting] == [6]

    kv.write({b"a1": b"new"}, sync=False)
    overlay.landed(6)
    assert len(overlay) == 0
    assert overlay.get(b"a1") == b"new"


# The transaction


def test_a_transaction_reads_its_own_writes(kv):
    put(kv, b"a1", b"a2")
    tx = Tx(kv)
    tx.put(b"a3", b"three")
    tx.delete(b"a1")

    assert tx.get(b"a1") is None
    assert tx.get(b"a3") == b"three"
    assert scanned(tx) == [b"a2", b"a3"]
    assert kv.get(b"a1") == b"va1"


def test_rolling_back_an_op_keeps_what_came_before_it(kv):
    put(kv, b"a1")
    tx = Tx(kv)
    tx.put(b"a2", b"first op")
    tx.begin()
    tx.put(b"a2", b"second op")
    tx.delete(b"a2")
    tx.put(b"a3", b"second op")
    tx.delete(b"a1")

    tx.rollback()

    assert tx.writes == {b"a2": b"first op"}


# LevelDB alone


def test_a_database_is_not_created_unless_it_is_new(tmp_path):
    with pytest.raises(StoreDamaged, match="does not exist"):
        LevelDbKv(tmp_path / "missing", create=False)


def test_a_database_that_lost_its_manifest_is_refused_rather_than_emptied(tmp_path):
    kv = LevelDbKv(tmp_path / "db", create=True)
    put(kv, b"a1")
    kv.close()
    for name in ("CURRENT", *(file.name for file in (tmp_path / "db").glob("MANIFEST*"))):
        (tmp_path / "db" / name).unlink()

    with pytest.raises(StoreDamaged):
        LevelDbKv(tmp_path / "db", create=False)


def test_a_database_in_use_says_so(tmp_path):
    kv = LevelDbKv(tmp_path / "db", create=True)
    with pytest.raises(StoreBusy, match="in use"):
        LevelDbKv(tmp_path / "db", create=False)
    kv.close()


def test_reopening_keeps_everything(tmp_path):
    kv = LevelDbKv(tmp_path / "db", create=True)
    put(kv, b"a1")
    assert kv.try_reopen()
    assert kv.get(b"a1") == b"va1"
    kv.close()


def test_a_database_is_not_reopened_under_a_reader(tmp_path):
    kv = LevelDbKv(tmp_path / "db", create=True)
    put(kv, b"a1")
    snapshot = kv.snapshot()
    assert not kv.try_reopen()
    assert snapshot.get(b"a1") == b"va1"
    snapshot.close()
    snapshot.close()
    assert kv.try_reopen()
    kv.close()


def test_the_last_reader_closes_the_database(tmp_path):
    kv = LevelDbKv(tmp_path / "db", create=True)
    put(kv, b"a1")
    snapshot = kv.snapshot()
    kv.close()
    assert snapshot.get(b"a1") == b"va1"
    with pytest.raises(RuntimeError):
        kv.snapshot()
    snapshot.close()
    LevelDbKv(tmp_path / "db", create=False).close()
