"""A leader's state on its way into a new store beside the one in use."""

import pytest

from corvo.actors.state.store_sink import StoreSink
from corvo.consensus.api import Position
from corvo.core.errors import StorageFull
from corvo.storage.datadir import DataDir, current_store
from corvo.storage.leveldb import LevelDbKv
from corvo.storage.snapshot import chunks
from tests.support.fsm import Fsm


@pytest.fixture
def folder(tmp_path):
    folder = DataDir(tmp_path / "data", node_id="n1")
    yield folder
    folder.close()


class Installed:
    def __init__(self, own=None):
        self.own = own or Position(1, 0)
        self.stores = []

    def __call__(self, store, position):
        self.stores.append((store, position))


def sink_of(folder, installed):
    return StoreSink(folder, lambda: installed.own, installed)


def leader():
    fsm = Fsm()
    for number in range(300):
        fsm.enqueue("q", b'"' + b"x" * 3_000 + b'"', tags={"n": str(number)})
    return fsm


def pairs(kv):
    return dict(kv.scan(b"\0", b"\xff"))


def test_a_state_arrives_as_it_was_and_counts_from_the_last_chunk_on(folder):
    installed, fsm = Installed(), leader()
    sink = sink_of(folder, installed)
    pieces = list(chunks(fsm.kv.snapshot()))
    assert len(pieces) > 3
    for piece in pieces:
        assert current_store(folder.path).name == "kv-1"
        sink.write(piece)
    assert sink.finish() == Position(fsm.machine.index, 1)
    assert current_store(folder.path).name == "kv-2"
    ((store, position),) = installed.stores
    assert pairs(store) == pairs(fsm.kv)
    assert position == Position(fsm.machine.index, 1)
    store.close()


def test_one_that_is_broken_off_leaves_no_trace(folder):
    installed = Installed()
    sink = sink_of(folder, installed)
    sink.write(next(chunks(leader().kv.snapshot())))
    sink.abort()
    assert installed.stores == []
    assert [path.name for path in folder.path.glob("kv-*")] == ["kv-1"]
    assert current_store(folder.path).name == "kv-1"


def test_a_state_never_goes_backwards(folder):
    fsm = leader()
    installed = Installed(own=Position(fsm.machine.index, 1))
    sink = sink_of(folder, installed)
    for piece in chunks(fsm.kv.snapshot()):
        sink.write(piece)
    assert sink.finish() == installed.own
    assert installed.stores == []
    assert current_store(folder.path).name == "kv-1"


def test_a_full_disk_is_told_in_the_words_consensus_knows(folder, monkeypatch):
    sink = sink_of(folder, Installed())

    def full(*_, **__):
        raise StorageFull("the disk is full")

    monkeypatch.setattr(LevelDbKv, "write", full)
    with pytest.raises(OSError, match="the disk is full"):
        sink.write(next(chunks(leader().kv.snapshot())))


# A store that takes the place of another


def test_whoever_holds_the_store_sees_the_new_one_and_old_snapshots_stay_readable(tmp_path):
    old, new = (LevelDbKv(tmp_path / name, create=True) for name in ("old", "new"))
    old.write({b"a": b"old"}, sync=False)
    new.write({b"a": b"new"}, sync=False)
    snapshot = old.snapshot()
    old.adopt(new)
    assert old.get(b"a") == b"new"
    assert snapshot.get(b"a") == b"old"
    snapshot.close()
    # Closed by the last one who read it, so its folder is free again.
    LevelDbKv(tmp_path / "old", create=False).close()
    later = old.snapshot()
    assert later.get(b"a") == b"new"
    later.close()
    old.close()
    LevelDbKv(tmp_path / "new", create=False).close()


def test_a_synced_store_is_whole_when_it_is_opened_again(tmp_path):
    store = LevelDbKv(tmp_path / "kv", create=True)
    rows = {b"%08d" % n: b"x" * 500 for n in range(2_000)}
    store.write(rows, sync=False)
    store.sync()
    store.close()
    again = LevelDbKv(tmp_path / "kv", create=False)
    assert dict(again.scan(b"\0", b"\xff")) == rows
    again.close()
