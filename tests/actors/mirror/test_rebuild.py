"""Building the mirror anew, on request or because it must be, while everything else goes on."""

import sqlite3

import pytest

from corvo.actors.kernel.api import ThreadActor, named
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.kernel.sim import SimSystem
from corvo.actors.mirror import builder
from corvo.actors.mirror.builder import MirrorBuilder
from corvo.actors.mirror.messages import AwaitMirror, Build, MirrorRebuilt, RebuildMirror
from corvo.actors.mirror.writer import MirrorWriter
from corvo.core.clock import SystemClock
from corvo.core.errors import Unhealthy
from corvo.storage.leveldb import LevelDbKv
from corvo.storage.memory import MemoryKv
from corvo.storage.mirror import database
from corvo.storage.mirror.compare import compare
from tests.storage.mirror.actors import Fed, Listener, populated
from tests.support.fsm import Fsm


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


def test_a_rebuild_on_request_says_how_long_it_took(fed):
    before = fed.path
    answer = fed.ask(RebuildMirror())
    assert isinstance(answer, MirrorRebuilt)
    assert answer.jobs == 300
    assert fed.path != before
    figures = fed.rebuild_status()
    assert (figures.jobs, figures.jobs_expected, figures.running) == (300, 300, False)
    assert (figures.last_success, figures.last_error) == (True, None)
    assert figures.last_started_at.endswith("Z")


def test_two_who_ask_at_once_get_one_rebuild(fed):
    before = fed.rebuilds()
    answers = [fed.system.ask(fed.writer, RebuildMirror()) for _ in range(2)]
    assert [answer.result().jobs for answer in answers] == [300, 300]
    assert fed.rebuilds() == before + 1


def test_readers_of_the_old_file_can_go_on_reading_it(fed):
    old = database.open_reader(fed.path)
    fed.ask(RebuildMirror())
    fed.live_on(3)
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

    monkeypatch.setattr(builder, "build", fails)
    with pytest.raises(Unhealthy, match="disk is full"):
        fed.ask(RebuildMirror())
    fed.live_on(2)
    assert fed.path == before
    assert fed.rebuild_status().last_success is False
    assert "disk is full" in fed.rebuild_status().last_error


def test_a_rebuild_that_is_needed_is_tried_again_until_it_succeeds(fed, monkeypatch):
    build, attempts = builder.build, []

    def fails_twice(kv, folder):
        attempts.append(1)
        if len(attempts) < 3:
            raise OSError("no room")
        yield from build(kv, folder)

    monkeypatch.setattr(builder, "build", fails_twice)
    fed.path.unlink()
    fed.live_on(20)
    assert len(attempts) == 3


def test_a_builder_that_crashes_is_a_rebuild_that_failed(tmp_path, monkeypatch):
    fed = Fed(tmp_path)

    def crashes(kv, folder):
        raise ZeroDivisionError
        yield

    with monkeypatch.context() as patch:
        patch.setattr(builder, "build", crashes)
        with pytest.raises(Unhealthy, match="the builder crashed"):
            fed.ask(RebuildMirror())
    assert fed.ask(RebuildMirror()).jobs == 0
    fed.close()


class Flooded(ThreadActor):
    """A writer that has room for one message only, and hears the last of them at last."""

    def __init__(self, heard):
        self.heard = heard

    def receiveMessage(self, message, sender):
        self.heard.append(type(message).__name__)


def test_a_writer_without_room_for_it_hears_of_the_end_all_the_same(tmp_path):
    refused = 0
    for seed in range(10):
        system, heard = SimSystem(seed), []
        writer = system.createActor(named(Flooded, "flooded", mailbox=1), heard)
        builder = system.createActor(MirrorBuilder, MemoryKv(), tmp_path / str(seed), writer)
        system.tell(builder, Build())
        system.run(lambda heard=heard: "Built" in heard)
        refused += system.refused
        system.stop()
    assert refused > 0


def test_a_node_that_stops_in_the_middle_of_a_rebuild_leaves_nothing_behind(fed):
    fed.system.ask(fed.writer, RebuildMirror()).cancel()
    fed.system.run((fed.folder / "building.db").exists)
    fed.restart()
    assert not list(fed.folder.glob("building*"))


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

    assert kv.try_reopen()
    rebuilt = await system.ask(writer, RebuildMirror())
    assert rebuilt.jobs == 3_000
    assert await system.stop(timeout=5) == ()
    kv.close()
