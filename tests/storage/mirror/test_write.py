"""Batches and transactions: what the mirror holds after which entries."""

import pytest
from msgspec.structs import replace

from corvo.core.job import Job, encode
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.ops.job_admin import Action
from corvo.storage import keys
from corvo.storage.mirror import database
from corvo.storage.mirror.batch import RowBatch
from corvo.storage.mirror.compare import compare
from corvo.storage.mirror.database import SCHEMA_VERSION, Unusable
from corvo.storage.mirror.write import fill, write
from tests.storage.mirror.support import build


def rows(mirrored, table):
    return mirrored.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_a_job_that_came_and_went_in_one_batch_is_written_once(mirrored, fsm):
    job_id = fsm.enqueue()
    fsm.ack(job_id, fsm.lease(job_id).lease.token)
    mirrored.feed()
    assert len(mirrored.mirror.batch) == 1

    mirrored.flush()
    assert mirrored.search().hits[0].job.state is JobState.COMPLETED


def test_what_was_written_is_written_over(mirrored, fsm):
    job_id = fsm.enqueue()
    mirrored.flush()
    job = fsm.lease(job_id)
    mirrored.flush()
    assert mirrored.ids(worker_id="w1") == [job_id]
    fsm.ack(job_id, job.lease.token)
    mirrored.flush()
    assert mirrored.ids(states=(JobState.COMPLETED,)) == [job_id]
    assert rows(mirrored, "jobs") == 1


def test_what_a_job_has_lost_is_gone_from_its_row_though_bare_rows_do_not_name_it(mirrored, fsm):
    job_id = fsm.enqueue()
    mirrored.flush()
    db, bare = mirrored.mirror._db, fsm.job(job_id)

    def written(job):
        batch = RowBatch(mirrored.mirror.held, mirrored.mirror._held_seq)
        batch.jobs[job_id] = job
        write(db, batch)
        return db.execute("SELECT scheduled_ns, parent_id, typeof(scheduled_ns) FROM jobs").fetchone()

    assert written(replace(bare, scheduled_ns=0, parent_id="job_p")) == (0, "job_p", "integer")
    assert written(replace(bare, scheduled_ns=7)) == (7, None, "integer")
    assert written(bare) == (None, None, "null")


def test_a_payload_is_written_once_and_never_again(mirrored, fsm):
    job_id = fsm.enqueue(payload=b'{"original":true}')
    mirrored.flush()
    mirrored.mirror._db.execute("""UPDATE texts SET payload = '"marked"'""")

    fsm.lease(job_id)
    mirrored.flush()

    assert mirrored.search().hits[0].payload == '"marked"'
    mirrored.mirror._db.execute("""UPDATE texts SET payload = '{"original":true}'""")


def test_a_deleted_job_takes_along_all_that_hung_on_it(mirrored, fsm):
    job_id = fsm.enqueue(payload=b'"' + b"x" * 2_000 + b'"')
    fsm.fail(job_id, fsm.lease(job_id).lease.token)
    mirrored.flush()
    assert (rows(mirrored, "texts"), rows(mirrored, "errors")) == (1, 1)

    fsm.act(Action.DELETE, job_id)
    mirrored.flush()
    assert (rows(mirrored, "jobs"), rows(mirrored, "texts"), rows(mirrored, "errors")) == (0, 0, 0)


def test_a_job_that_lived_and_died_within_one_batch_leaves_nothing(mirrored, fsm):
    job_id = fsm.enqueue()
    fsm.fail(job_id, fsm.lease(job_id).lease.token)
    fsm.act(Action.DELETE, job_id)
    mirrored.flush()
    assert (rows(mirrored, "jobs"), rows(mirrored, "texts"), rows(mirrored, "errors")) == (0, 0, 0)


def test_entries_that_touch_no_job_move_the_index_on(mirrored, fsm):
    fsm.apply()
    mirrored.flush()
    assert mirrored.mirror.held == fsm.machine.index


@pytest.mark.parametrize("count", [1, 2, 1_023, 1_024, 1_025, 2_800])
def test_batches_of_any_size_arrive_whole(mirrored, fsm, count):
    ids = fsm.enqueue_many(*(fsm.new_job() for _ in range(count)))
    assert sorted(mirrored.all_ids(limit=3_000)) == sorted(ids)


def test_a_flush_that_fails_changes_nothing(mirrored, fsm):
    fsm.enqueue()
    mirrored.flush()
    held = mirrored.mirror.held
    fsm.enqueue()
    mirrored.feed()
    mirrored.mirror._db.execute("UPDATE mirror SET schema_version = 99")
    with pytest.raises(Unusable, match="no longer of our version"):
        mirrored.mirror.flush()
    mirrored.mirror._db.execute("UPDATE mirror SET schema_version = ?", (SCHEMA_VERSION,))

    assert rows(mirrored, "jobs") == 1
    assert mirrored.mirror.held == held
    mirrored.mirror.flush()
    assert rows(mirrored, "jobs") == 2


# Places


def twin(number, created_ns=1_000, queue="q"):
    return Job(
        f"job_{number}", queue, JobState.PENDING, Priority.NORMAL, b"%d" % number, created_ns, created_ns
    )


def batch_of(index, *jobs):
    batch = RowBatch(index, 0)
    for job in jobs:
        batch.put(job.id, job, None, {})
    return batch


def test_jobs_that_share_their_time_of_creation_get_places_side_by_side(mirrored):
    db = mirrored.mirror._db
    write(db, batch_of(2, twin(1), twin(2), twin(3)))
    write(db, batch_of(3, twin(4), twin(2, queue="moved"), twin(5, created_ns=1_001)))

    found = db.execute("SELECT place, id, queue FROM jobs ORDER BY id").fetchall()
    assert len({place for place, _, _ in found}) == 5
    assert [row[1:] for row in found] == [
        ("job_1", "q"), ("job_2", "moved"), ("job_3", "q"), ("job_4", "q"), ("job_5", "q"),
    ]  # fmt: skip
    texts = dict(db.execute("SELECT j.id, t.payload FROM jobs j JOIN texts t ON t.place = j.place"))
    assert texts == {f"job_{n}": str(n) for n in range(1, 6)}
    db.execute("DELETE FROM jobs")
    db.execute("UPDATE mirror SET applied_index = 1")
    mirrored.mirror.close()


def test_a_rebuild_copes_with_shared_times_as_well(fsm, tmp_path):
    fsm.kv.write({keys.job(f"job_{n}"): encode(twin(n)) for n in range(5)}, sync=False)
    path = build(fsm.kv, tmp_path)
    assert list(compare(fsm.kv, path)) == []


def test_filling_a_file_is_all_or_nothing_per_batch(tmp_path):
    db = database.create(tmp_path / "new.db")
    fill(db, batch_of(2, *(twin(n, created_ns=n) for n in range(300))))
    fill(db, batch_of(2, *(twin(n, created_ns=n) for n in range(250, 260))))
    # Those are there already, as far as `fill` knows they are others with the same times.
    assert db.execute("SELECT count(*), count(DISTINCT place) FROM jobs").fetchone() == (310, 310)
    db.close()
