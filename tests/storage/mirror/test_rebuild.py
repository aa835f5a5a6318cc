"""Building a mirror from nothing."""

import pytest

from corvo.core import job
from corvo.storage.leveldb import LevelDbKv
from corvo.storage.mirror import database, files, rebuild
from corvo.storage.mirror.compare import compare
from tests.storage.mirror.support import build
from tests.support.fsm import Fsm


@pytest.fixture(params=["memory", "leveldb"])
def fsm(request, tmp_path):
    kv = None if request.param == "memory" else LevelDbKv(tmp_path / "kv", create=True)
    yield Fsm(kv)
    if kv is not None:
        kv.close()


def populate(fsm, count=20):
    ids = [fsm.enqueue(f"q{n % 4}", b'"' + b"x" * (n * 200) + b'"', tags={"n": str(n)}) for n in range(count)]
    for _ in range(7):
        job = fsm.lease(None, "q0", "q1", "q2", "q3")
        fsm.fail(job.id, job.lease.token)
    return ids


def test_a_mirror_of_an_empty_store_is_empty(fsm, tmp_path):
    assert list(compare(fsm.kv, build(fsm.kv, tmp_path / "mirror"))) == []


def test_a_new_mirror_equals_the_store(fsm, tmp_path):
    populate(fsm)
    path = build(fsm.kv, tmp_path / "mirror")

    assert list(compare(fsm.kv, path)) == []
    db, state = database.open_writer(path)
    assert (state.applied_index, state.clean) == (fsm.machine.index, True)
    database.close_writer(db)


def test_errors_from_before_there_was_a_limit_are_in_it_too(fsm, tmp_path, monkeypatch):
    populate(fsm)
    monkeypatch.setattr(job, "ERRORS_KEPT_MAX", 0)
    assert list(compare(fsm.kv, build(fsm.kv, tmp_path / "mirror"))) == []


def test_it_shows_the_store_as_it_was_when_it_began(fsm, tmp_path):
    populate(fsm)
    steps = rebuild.build(fsm.kv, tmp_path)
    next(steps)
    index = fsm.machine.index
    fsm.enqueue()
    *_, last = steps
    assert (last.index, last.jobs) == (index, 20)


def test_progress_counts_up_to_what_was_expected(fsm, tmp_path, monkeypatch):
    monkeypatch.setattr(rebuild, "CHUNK_JOBS", 6)
    populate(fsm)
    steps = list(rebuild.build(fsm.kv, tmp_path))
    assert {step.jobs_expected for step in steps} == {20}
    assert [step.jobs for step in steps][:4] == [6, 12, 18, 20]
    assert steps[-1].path is not None


def test_memory_is_bounded_by_bytes_as_well(fsm, tmp_path, monkeypatch):
    monkeypatch.setattr(rebuild, "CHUNK_BYTES", 4_000)
    populate(fsm)
    jobs = [step.jobs for step in rebuild.build(fsm.kv, tmp_path)]
    assert len(set(jobs)) > 5


def test_errors_count_among_the_bytes(fsm, tmp_path, monkeypatch):
    monkeypatch.setattr(rebuild, "CHUNK_BYTES", 4_000)
    for job_id in [fsm.enqueue() for _ in range(6)]:
        fsm.fail(job_id, fsm.lease(job_id).lease.token, error="x" * 3_000)
    jobs = [step.jobs for step in rebuild.build(fsm.kv, tmp_path)]
    assert sorted(set(jobs)) == [2, 4, 6]


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_giving_up_leaves_nothing_behind(fsm, tmp_path, steps):
    populate(fsm)
    building = rebuild.build(fsm.kv, tmp_path)
    for _ in range(steps):
        next(building)
    building.close()
    assert not list(tmp_path.glob("building*"))


def test_what_a_dead_process_left_is_swept_away(fsm, tmp_path):
    (tmp_path / "building.db").write_bytes(b"half a file")
    (tmp_path / "building.db-journal").write_bytes(b"and its journal")
    assert list(compare(fsm.kv, build(fsm.kv, tmp_path))) == []
    assert [file.name for file in tmp_path.glob("building*")] == []


# The folder


def test_the_file_with_the_highest_number_counts(tmp_path):
    assert files.current(tmp_path) is None
    assert files.current(tmp_path / "missing") is None
    for name in ("mirror-2.db", "mirror-10.db", "mirror-x.db", "mirror-11.db-wal", "other"):
        (tmp_path / name).touch()
    assert files.current(tmp_path) == tmp_path / "mirror-10.db"


def test_publishing_takes_the_next_number_and_sweeps_its_leftovers(tmp_path):
    (tmp_path / "mirror-3.db").touch()
    (tmp_path / "mirror-4.db-wal").touch()
    draft = files.draft(tmp_path)
    draft.touch()

    path = files.publish(tmp_path, draft)

    assert path == tmp_path / "mirror-4.db"
    assert not (tmp_path / "mirror-4.db-wal").exists()


def test_old_files_are_removed_with_all_their_parts(tmp_path):
    for name in ("mirror-1.db", "mirror-1.db-wal", "mirror-1.db-shm", "mirror-2.db", "mirror-2.db-wal"):
        (tmp_path / name).touch()
    files.remove_others(tmp_path, tmp_path / "mirror-2.db")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mirror-2.db", "mirror-2.db-wal"]
