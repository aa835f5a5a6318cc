"""The mirror writer: when rows are written, who waits for them, and that none is ever lost."""

import pytest

from corvo.actors.mirror import writer
from corvo.actors.mirror.messages import AwaitMirror, MirrorReached
from corvo.actors.state.messages import EntryLanded
from corvo.core.errors import Stale
from corvo.core.states import JobState
from corvo.ops.job_admin import Action
from corvo.ops.upkeep import TrimEvents
from corvo.storage.mirror import database
from tests.storage.mirror.actors import Fed


@pytest.fixture(params=range(2), ids="seed={}".format)
def fed(request, tmp_path):
    """A writer that must have lost nothing when the test is over."""
    fed = Fed(tmp_path / "mirror", seed=request.param)
    yield fed
    fed.catch_up()
    fed.settle()
    assert fed.differences() == []
    assert fed.system.stats().unexpected == 0
    fed.close()
    assert fed.differences() == []


def held(fed):
    return fed.mirror.held


def states(fed):
    db = database.open_reader(fed.path)
    found = [JobState(state).label for (state,) in db.execute("SELECT state FROM jobs ORDER BY place")]
    db.close()
    return found


# Gathering


def test_rows_gather_for_a_moment_before_they_are_written(fed):
    fed.fsm.enqueue()
    fed.feed()
    fed.advance(milliseconds=100)
    assert states(fed) == []

    fed.advance(milliseconds=100)
    assert states(fed) == ["pending"]


def test_a_job_that_comes_and_goes_within_that_moment_is_written_once(fed):
    job_id = fed.fsm.enqueue()
    fed.fsm.ack(job_id, fed.fsm.lease(job_id).lease.token)
    fed.feed()
    fed.advance(seconds=1)
    assert states(fed) == ["completed"]
    assert fed.status().applied == 1


def test_many_rows_are_written_without_waiting(fed):
    for _ in range(5):
        fed.fsm.enqueue_many(*(fed.fsm.new_job() for _ in range(500)))
    fed.feed()
    fed.settle()
    assert len(states(fed)) == 2_500


def test_large_payloads_are_written_without_waiting(fed):
    for _ in range(9):
        fed.fsm.enqueue(payload=b'"' + b"x" * 1_000_000 + b'"')
    fed.feed()
    fed.settle()
    assert len(states(fed)) == 9


def test_what_has_gathered_is_written_when_the_node_stops(fed):
    fed.fsm.enqueue()
    fed.feed()
    fed.settle()
    fed.system.stop()
    assert fed.differences() == []
    db, state = database.open_writer(fed.path)
    assert state.clean
    database.close_writer(db)
    fed.start()


# Waiting


def test_whoever_waits_makes_it_write_at_once(fed):
    fed.fsm.enqueue()
    fed.feed()
    index = fed.fsm.machine.index
    answer = fed.system.ask(fed.writer, AwaitMirror(index, 1_000))
    fed.settle()
    assert answer.result() == MirrorReached(index, fed.path)
    assert states(fed) == ["pending"]


def test_what_is_there_already_is_answered_at_once(fed):
    fed.catch_up()
    answer = fed.system.ask(fed.writer, AwaitMirror(0, 1_000))
    fed.settle()
    assert answer.result().index == fed.fsm.machine.index


def test_an_entry_that_comes_later_is_waited_for_and_written_when_it_comes(fed):
    fed.fsm.enqueue()
    fed.fsm.enqueue()
    answer = fed.system.ask(fed.writer, AwaitMirror(fed.fsm.machine.index, 1_000))
    fed.feed(1)
    fed.settle()
    assert not answer.done()

    fed.feed(1)
    fed.settle()
    assert answer.result().index == fed.fsm.machine.index


def test_an_entry_that_does_not_come_is_not_waited_for_too_long(fed):
    answer = fed.system.ask(fed.writer, AwaitMirror(fed.fsm.machine.index + 1, 300))
    fed.advance(milliseconds=299)
    assert not answer.done()
    fed.advance(milliseconds=10)
    with pytest.raises(Stale, match="the mirror is at 1"):
        answer.result()


# Missing entries


def test_a_lost_message_is_made_up_for(fed):
    fed.fsm.enqueue()
    fed.feed()
    fed.fsm.enqueue()
    fed.lose()
    fed.fsm.enqueue()
    fed.feed()
    fed.settle()
    assert states(fed) == ["pending"] * 3
    assert fed.status().gaps == 1


def test_a_lost_last_message_is_noticed_by_whoever_waits(fed):
    fed.fsm.enqueue()
    fed.lose()
    answer = fed.system.ask(fed.writer, AwaitMirror(fed.fsm.machine.index, 1_000))
    fed.advance(milliseconds=100)
    assert answer.done()
    assert states(fed) == ["pending"]


def test_messages_that_come_again_are_known(fed):
    fed.fsm.enqueue()
    fed.feed()
    fed.advance(seconds=1)
    fed.system.tell(fed.writer, EntryLanded(fed.fsm.applied[0]))
    fed.settle()
    assert fed.status().gaps == 0


def test_a_mailbox_that_overflows_loses_nothing(tmp_path):
    fed = Fed(tmp_path, mailbox=4)
    for _ in range(40):
        fed.fsm.enqueue()
    for applied in fed.fsm.applied:
        if not fed.writer.box.is_full():
            fed.system.tell(fed.writer, EntryLanded(applied))
    fed.lose()
    fed.settle()
    fed.catch_up()
    assert fed.differences() == []
    fed.close()


def test_a_writer_that_is_swamped_answers_before_it_has_written_everything(fed, monkeypatch):
    """Each entry fills a batch, so without a look at the store they would be written one by one."""
    monkeypatch.setattr(writer, "CHUNK_JOBS", 1)
    for _ in range(40):
        fed.fsm.enqueue()
    fed.feed()

    figures = fed.status()

    assert (figures.applied, figures.gaps, figures.stale) == (1, 1, True)


def test_what_happened_while_it_was_away_is_made_up_for(fed):
    ids = [fed.fsm.enqueue(payload=b'"' + b"x" * 3_000 + b'"') for _ in range(4)]
    fed.catch_up()
    fed.system.stop()
    fed.fsm.act(Action.DELETE, ids[0])
    fed.fsm.fail(ids[1], fed.fsm.lease(ids[1]).lease.token)
    fed.lose()

    fed.start()

    assert states(fed) == ["retrying", "pending", "pending"]
    assert fed.rebuild_status().ran == 0


def test_a_killed_process_loses_nothing(fed):
    fed.fsm.enqueue()
    fed.catch_up()
    fed.fsm.enqueue()
    fed.feed()
    fed.settle()
    fed.kill()
    assert states(fed) == ["pending"] * 2
    assert fed.rebuild_status().ran == 0


def test_a_crash_of_the_actor_loses_nothing(fed):
    fed.fsm.enqueue()
    fed.feed()
    fed.settle()
    fed.system.crash(fed.writer)
    fed.fsm.enqueue()
    fed.feed()
    fed.advance(seconds=5)
    assert states(fed) == ["pending"] * 2


def test_a_log_that_was_trimmed_too_far_makes_it_build_anew(fed):
    fed.catch_up()
    before = fed.path
    for _ in range(5):
        fed.fsm.enqueue()
    fed.fsm.one(TrimEvents(keep=1, at_before_ns=0, limit=100))
    fed.lose(4)
    fed.feed()
    fed.settle()
    assert states(fed) == ["pending"] * 5
    assert fed.path != before
    assert not before.exists()


# Words


def test_words_are_indexed_a_while_after_the_rows(fed):
    fed.fsm.enqueue(payload=b'"apple"')
    fed.catch_up()
    assert worded(fed) == 0
    fed.advance(seconds=2)
    assert worded(fed) == 1


def test_words_are_indexed_at_once_for_whoever_asks_for_them(fed):
    fed.fsm.enqueue(payload=b'"apple"')
    fed.feed()
    fed.ask(AwaitMirror(fed.fsm.machine.index, 1_000, words=True))
    assert worded(fed) == 1


def worded(fed):
    db = database.open_reader(fed.path)
    (found,) = db.execute("SELECT count(*) FROM fulltext WHERE fulltext MATCH 'apple'").fetchone()
    db.close()
    return found


# Figures


def test_figures_tell_how_it_is_doing(fed):
    fed.fsm.enqueue()
    fed.feed()
    fed.settle()
    figures = fed.status()
    assert (figures.queued, figures.lag, figures.dropped, figures.stale) == (1, 1, 0, False)
    fed.catch_up()
    figures = fed.status()
    assert (figures.queued, figures.lag, figures.applied) == (0, 0, 1)
    rebuilt = fed.rebuild_status()
    assert (rebuilt.ran, rebuilt.last_started_at, rebuilt.last_error) == (0, None, None)


# Keeping up


def test_while_the_mirror_keeps_up_nobody_has_to_rest(fed):
    for _ in range(20):
        fed.fsm.enqueue()
        fed.feed()
        fed.advance(seconds=3)
    assert fed.rests() == [0]


def test_when_the_mirror_falls_behind_the_others_rest_until_it_has_caught_up(fed, monkeypatch):
    fed.fsm.enqueue()
    fed.lose()
    with monkeypatch.context() as patched:
        patched.setattr(fed.mirror, "catch_up", lambda snapshot: False)  # No step gets any further.
        for _ in range(10):
            fed.fsm.enqueue()
            fed.feed()
            fed.system.clock.advance(s=1)
            behind_ms = fed.status().behind_ms
    assert behind_ms >= 9_000
    assert fed.rests()[-1] == 20

    fed.catch_up()
    fed.settle()
    assert fed.rests()[-1] == 0
    assert fed.status().behind_ms == 0


def test_a_mirror_without_room_on_its_disk_slows_nobody_down(fed):
    fed.fsm.enqueue()
    fed.catch_up()
    (pages,) = fed.mirror._db.execute("PRAGMA page_count").fetchone()
    fed.mirror._db.execute(f"PRAGMA max_page_count = {pages}")
    for _ in range(20):
        fed.fsm.enqueue(payload=b'"' + b"x" * 10_000 + b'"')
        fed.feed()
        fed.advance(seconds=1)
    assert fed.status().failures > 5
    assert fed.status().behind_ms > 9_000
    assert set(fed.rests()) == {0}
    fed.mirror._db.execute("PRAGMA max_page_count = 1000000")
