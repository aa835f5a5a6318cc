"""What the mirror has missed is read from LevelDB."""

import pytest

from corvo.ops.job_admin import Action
from corvo.ops.upkeep import TrimEvents
from corvo.storage.leveldb import LevelDbKv
from corvo.storage.mirror.catch_up import LogTooShort, next_chunk
from tests.storage.mirror.support import Mirrored
from tests.support.fsm import Fsm


@pytest.fixture(params=["memory", "leveldb"])
def fsm(request, tmp_path):
    kv = None if request.param == "memory" else LevelDbKv(tmp_path / "kv", create=True)
    yield Fsm(kv)
    if kv is not None:
        kv.close()


@pytest.fixture
def mirrored(fsm, tmp_path):
    mirrored = Mirrored(fsm, tmp_path / "mirror")
    yield mirrored
    mirrored.close()


def catch_up(mirrored):
    steps = 1
    while not mirrored.mirror.catch_up(mirrored.fsm.kv.snapshot()):
        steps += 1
        assert steps < 1_000
    assert mirrored.differences() == []
    return steps


def test_everything_that_happened_is_found_again(mirrored, fsm):
    large = b'"' + b"x" * 3_000 + b'"'
    ids = [fsm.enqueue(payload=large if n % 3 == 0 else b"1", tags={"n": str(n)}) for n in range(20)]
    for job_id in ids[:10]:
        fsm.fail(job_id, fsm.lease(job_id).lease.token, error=f"error of {job_id}")
    fsm.act(Action.DELETE, ids[4])
    fsm.apply()

    assert catch_up(mirrored) == 1
    assert mirrored.mirror.held == fsm.machine.index


def test_a_mirror_that_has_everything_has_nothing_to_do(mirrored, fsm):
    fsm.enqueue()
    catch_up(mirrored)
    assert catch_up(mirrored) == 1


def test_a_long_way_is_taken_in_steps(mirrored, fsm, monkeypatch):
    monkeypatch.setattr("corvo.storage.mirror.mirror.next_chunk", lambda *a: next_chunk(*a, jobs_max=3))
    ids = [fsm.enqueue() for _ in range(10)]
    fsm.lease(ids[0])
    assert catch_up(mirrored) == 4


def test_steps_are_bounded_by_bytes_as_well(mirrored, fsm, monkeypatch):
    monkeypatch.setattr("corvo.storage.mirror.catch_up.CHUNK_BYTES", 5_000)
    for _ in range(6):
        fsm.enqueue(payload=b'"' + b"x" * 2_000 + b'"')
    assert catch_up(mirrored) == 2


def test_what_is_in_the_batch_is_given_up(mirrored, fsm):
    fsm.enqueue()
    mirrored.feed()
    catch_up(mirrored)
    assert len(mirrored.mirror.batch) == 0


def test_an_error_that_changed_in_the_store_changes_in_the_mirror(mirrored, fsm):
    job_id = fsm.enqueue(max_retries=9)
    fsm.fail(job_id, fsm.lease(job_id).lease.token, retry_after_ms=0)
    catch_up(mirrored)
    fsm.fail(job_id, fsm.lease(job_id).lease.token, error="another", retry_after_ms=0)
    catch_up(mirrored)


def test_a_log_that_no_longer_reaches_back_says_so(mirrored, fsm):
    for _ in range(5):
        fsm.enqueue()
    fsm.one(TrimEvents(keep=1, at_before_ns=0, limit=100))
    with pytest.raises(LogTooShort, match="events are kept from"):
        catch_up(mirrored)


def test_a_log_that_was_trimmed_behind_the_mirror_is_enough(mirrored, fsm):
    for _ in range(5):
        fsm.enqueue()
    catch_up(mirrored)
    fsm.one(TrimEvents(keep=1, at_before_ns=0, limit=100))
    fsm.enqueue()
    catch_up(mirrored)


def test_a_mirror_ahead_of_its_store_is_not_believed(mirrored, fsm, tmp_path):
    for _ in range(3):
        fsm.enqueue()
    catch_up(mirrored)
    with pytest.raises(LogTooShort, match="the store is at 1"):
        mirrored.mirror.catch_up(Fsm().kv)
