"""The mirror behind the real actor of the state machine: the whole write path, in virtual time."""

import pytest

from corvo.actors.mirror.messages import AwaitMirror
from corvo.actors.mirror.writer import MirrorWriter
from corvo.actors.status import GetStatus
from corvo.ops.enqueue import Enqueue
from corvo.ops.finish import Ack
from corvo.storage.mirror import files
from corvo.storage.mirror.compare import compare


@pytest.fixture
def mirrored(path, tmp_path):
    """The write path with a mirror, which must equal the store when the test is over."""
    path.mirror = path.system.createActor(MirrorWriter, path.kv, path.fsm, tmp_path, path.clock)
    path.settle()
    yield path
    path.kv.full = False
    path.advance(10)
    wait(path)
    assert list(compare(path.kv, files.current(tmp_path))) == []


def wait(path):
    return path.system.ask(path.mirror, AwaitMirror(path.machine.index, 5_000)).result()


def test_a_write_that_was_answered_is_in_the_mirror_for_whoever_waits(mirrored):
    for _ in range(20):
        mirrored.do(Enqueue(mirrored.new_job()))
        assert wait(mirrored).index >= mirrored.machine.index


def test_jobs_go_through_their_whole_life(mirrored):
    for _ in range(10):
        mirrored.do(Enqueue(mirrored.new_job(tags={"a": "b"})))
    for job in mirrored.wait(count=6).result().jobs:
        mirrored.do(Ack(job.job.id, job.job.lease.token))
    mirrored.advance(120)  # The leases of the others run out, and retention begins.
    wait(mirrored)


def test_a_store_without_room_delays_the_mirror_as_well(mirrored):
    mirrored.do(Enqueue(mirrored.new_job()))
    mirrored.kv.full = True
    mirrored.submit(Enqueue(mirrored.new_job()))
    mirrored.advance(3)
    mirrored.kv.full = False
    mirrored.advance(5)
    assert mirrored.machine.index == wait(mirrored).index


def test_a_mirror_that_crashes_is_subscribed_again(mirrored):
    mirrored.do(Enqueue(mirrored.new_job()))
    mirrored.system.crash(mirrored.mirror)
    mirrored.do(Enqueue(mirrored.new_job()))
    mirrored.advance(5)
    mirrored.do(Enqueue(mirrored.new_job()))
    wait(mirrored)
    figures = mirrored.system.ask(mirrored.mirror, GetStatus()).result()
    assert (figures.mirror.lag, figures.rebuild.ran) == (0, 0)
    mirrored.system.supervisor.crashes = 0  # This one was ordered.
