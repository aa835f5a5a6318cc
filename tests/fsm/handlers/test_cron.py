import pytest
from msgspec.structs import replace

from corvo.core.errors import Conflict, NotFound, ValidationFailed
from corvo.core.events import EventType
from corvo.core.job import Unique, UniqueUntil
from corvo.core.priority import Priority
from corvo.core.schedule import RUNS_KEPT, Overlap
from corvo.fsm.handlers import cron as rules
from corvo.fsm.machine import Machine
from corvo.fsm.rules import new_job
from corvo.ops.cron import DeleteSchedule, FireSchedule, RunSchedule, SetSchedule
from corvo.ops.entry import decode
from corvo.ops.idempotency import Once
from corvo.ops.job_admin import Action
from corvo.ops.results import Recalled, decode_result, encode_result
from corvo.storage.invariants import check
from corvo.storage.memory import MemoryKv
from tests.support.schedules import MINUTE, plan, stored


def create(fsm, schedule_id="sched_1", next_ns=None, **fields):
    wanted = plan(**fields)
    if next_ns is None and wanted.enabled:
        next_ns = fsm.clock.now_ns() + MINUTE
    return fsm.one(SetSchedule(schedule_id, None, wanted, next_ns)).schedule


def change(fsm, schedule, next_ns=None, **fields):
    return fsm.one(
        SetSchedule(
            schedule.id, schedule.version, replace(schedule.plan, **fields), next_ns, schedule.dealt_ns
        )
    ).schedule


def fire(fsm, schedule, *slots, missed_ns=None, next_ns=None):
    slots = slots or (schedule.next_ns,)
    return fsm.one(
        FireSchedule(
            schedule.id,
            schedule.version,
            schedule.next_ns,
            slots,
            missed_ns,
            schedule.next_ns + MINUTE if next_ns is None else next_ns,
        )
    )


def now(fsm, schedule_id="sched_1"):
    return stored(fsm.kv, schedule_id)


# Plans


def test_a_schedule_is_kept_as_it_was_given(fsm):
    made = create(fsm, tags={"a": "b"}, unique=Unique("k", 60, UniqueUntil.START), cron="0 8 * * 1-5")
    assert (made.version, made.created_ns, made.fired_total) == (1, made.updated_ns, 0)
    fsm.restart()
    assert now(fsm) == made


def test_a_name_is_given_once(fsm):
    create(fsm)
    with pytest.raises(Conflict, match="nightly") as refused:
        create(fsm, "sched_2")
    assert refused.value.facts == {"schedule_id": "sched_1"}
    assert now(fsm, "sched_2") is None


def test_a_change_replaces_the_plan_and_counts_the_version_up(fsm, clock):
    made = create(fsm)
    clock.advance(s=5)
    changed = change(fsm, made, next_ns=made.next_ns + 1, misfire=1)
    assert changed.version == 2
    assert changed.updated_ns > made.updated_ns == changed.created_ns
    # Fire times do not depend on this, so the stored one holds, whatever the op says.
    assert changed.next_ns == made.next_ns


def test_a_change_of_timing_takes_the_new_fire_time(fsm):
    made = create(fsm)
    changed = change(fsm, made, 7 * MINUTE, timing=plan(cron="7 * * * *").timing)
    assert changed.next_ns == 7 * MINUTE


def test_a_change_from_an_old_version_is_refused_and_leaves_no_trace(fsm):
    made = create(fsm)
    change(fsm, made, name="second")
    before = fsm.dump()
    with pytest.raises(Conflict, match="somebody else") as refused:
        change(fsm, made, name="third")
    assert refused.value.facts == {"version": 2}
    after = fsm.dump()
    del before[b"m|"], after[b"m|"]
    assert after == before


def test_a_change_of_timing_that_does_not_know_of_the_last_firing_is_refused(fsm):
    """Or the time that was just fired, computed a moment before that, would come a second time."""
    made = create(fsm)
    fire(fsm, made)
    with pytest.raises(Conflict, match="has fired meanwhile"):
        change(fsm, made, made.next_ns, timing=plan(cron="0-59 * * * *").timing)
    assert change(fsm, made, None, misfire=1).next_ns == made.next_ns + MINUTE
    assert change(fsm, replace(now(fsm), dealt_ns=0), None, enabled=False).next_ns is None
    assert change(fsm, now(fsm), 9 * MINUTE, enabled=True).next_ns == 9 * MINUTE


def test_a_renamed_schedule_frees_its_old_name(fsm):
    change(fsm, create(fsm), name="daily")
    other = create(fsm, "sched_2", name="nightly")
    with pytest.raises(Conflict):
        change(fsm, other, name="daily")


def test_a_disabled_schedule_has_no_fire_time_and_gets_one_when_enabled(fsm):
    made = create(fsm)
    off = change(fsm, made, enabled=False)
    assert off.next_ns is None
    assert fire(fsm, made).fired == 0
    on = change(fsm, off, 9 * MINUTE, enabled=True)
    assert on.next_ns == 9 * MINUTE


def test_a_deleted_schedule_is_gone_and_its_jobs_stay(fsm):
    made = create(fsm)
    fire(fsm, made)
    job_id = now(fsm).last_job_id
    fsm.one(DeleteSchedule("sched_1"))
    assert now(fsm) is None
    assert fsm.state(job_id) == "pending"
    assert fire(fsm, made).fired == 0
    create(fsm, "sched_2")
    with pytest.raises(NotFound):
        fsm.one(DeleteSchedule("sched_1"))


@pytest.mark.parametrize("make_op", [RunSchedule, DeleteSchedule, lambda i: SetSchedule(i, 1, plan(), None)])
def test_what_does_not_exist_cannot_be_changed(fsm, make_op):
    with pytest.raises(NotFound, match="sched_none"):
        fsm.one(make_op("sched_none"))


def test_there_is_a_limit_to_how_many_there_are(fsm, monkeypatch):
    monkeypatch.setattr(rules, "SCHEDULES_MAX", 2)
    create(fsm, "sched_1", name="a")
    create(fsm, "sched_2", name="b")
    fsm.restart()
    with pytest.raises(ValidationFailed, match="2 schedules already"):
        create(fsm, "sched_3", name="c")
    fsm.one(DeleteSchedule("sched_1"))
    create(fsm, "sched_3", name="c")


# Firing


def test_firing_makes_a_job_like_the_pattern_and_moves_on(fsm):
    made = create(
        fsm,
        queue="reports",
        payload=b'{"a":1}',
        priority=Priority.HIGH,
        max_retries=7,
        tags={"k": "v"},
        expire_after_ms=60_000,
    )
    assert fire(fsm, made).fired == 1
    after = now(fsm)
    job = fsm.job(after.last_job_id)
    assert (job.queue, job.payload, job.priority, job.max_retries) == (
        "reports",
        b'{"a":1}',
        Priority.HIGH,
        7,
    )
    assert job.tags == {"k": "v"}
    assert job.expire_ns == job.created_ns + 60_000_000_000
    assert (after.last_ns, after.next_ns) == (made.next_ns, made.next_ns + MINUTE)
    assert (after.fired_total, after.skipped_total) == (1, 0)
    assert fsm.queue("reports").pending == 1
    assert fsm.events(job.id) == ["enqueued", "schedule.fired"]
    (facts,) = fsm.event_data(EventType.SCHEDULE_FIRED)
    assert facts == {"schedule_id": "sched_1", "name": "nightly", "slot_ns": made.next_ns, "by_hand": None}


def test_a_fire_time_fires_once_whoever_asks_for_it_again(fsm):
    made = create(fsm)
    assert fire(fsm, made).fired == 1
    assert fire(fsm, made).fired == 0
    fsm.restart()
    assert fire(fsm, made).fired == 0
    assert fsm.queue().pending == 1


def test_a_fire_time_asked_for_twice_in_one_entry_fires_once(fsm):
    made = create(fsm)
    op = FireSchedule(made.id, 1, made.next_ns, (made.next_ns,), None, made.next_ns + MINUTE)
    assert [outcome.fired for outcome in fsm.apply(op, op)] == [1, 0]


def test_a_firing_computed_from_an_old_plan_does_nothing(fsm):
    made = create(fsm)
    change(fsm, made, misfire=1)
    assert fire(fsm, made).fired == 0
    assert fire(fsm, now(fsm)).fired == 1


def test_catching_up_makes_a_job_for_each_fire_time(fsm):
    made = create(fsm)
    slots = tuple(made.next_ns + n * MINUTE for n in range(12))
    assert fire(fsm, made, *slots, next_ns=made.next_ns + 12 * MINUTE).fired == 12
    after = now(fsm)
    assert fsm.queue().pending == 12
    assert [run.at_ns for run in after.runs] == list(slots[-RUNS_KEPT:])
    assert len({run.job_id for run in after.runs}) == RUNS_KEPT


def test_a_missed_time_that_is_left_out_is_noted(fsm):
    made = create(fsm)
    fired = fsm.one(FireSchedule(made.id, 1, made.next_ns, (), made.next_ns, made.next_ns + MINUTE))
    assert (fired.fired, fired.skipped) == (0, 1)
    assert [(run.job_id, run.note) for run in now(fsm).runs] == [(None, "missed")]
    assert now(fsm).last_ns is None


def test_a_time_that_is_not_followed_by_another_ends_the_schedule(fsm):
    made = create(fsm)
    fsm.one(FireSchedule(made.id, 1, made.next_ns, (made.next_ns,), None, None))
    assert now(fsm).next_ns is None
    assert now(fsm).fired_total == 1


@pytest.mark.parametrize(
    "how", ["pending", "active", "retrying", "held", "completed", "dead", "cancelled", "gone"]
)
def test_overlap_skip_waits_until_the_last_job_has_ended(fsm, how):
    fire(fsm, create(fsm, overlap=Overlap.SKIP))
    job_id = now(fsm).last_job_id
    if how in ("active", "retrying", "completed", "dead"):
        fsm.lease(job_id)
    if how == "retrying":
        fsm.fail(job_id)
    elif how == "dead":
        fsm.fail(job_id, retry=False)
    elif how == "completed":
        fsm.ack(job_id)
    elif how == "held":
        fsm.act(Action.HOLD, job_id)
    elif how == "cancelled":
        fsm.act(Action.CANCEL, job_id)
    elif how == "gone":
        fsm.act(Action.DELETE, job_id)

    fired = fire(fsm, now(fsm))

    ended = how in ("completed", "dead", "cancelled", "gone")
    assert (fired.fired, fired.skipped) == ((1, 0) if ended else (0, 1))
    assert now(fsm).runs[-1].note == (None if ended else "overlap")
    assert (now(fsm).last_job_id != job_id) == ended


def test_overlap_allow_does_not_wait(fsm):
    for _ in range(3):
        fire(fsm, now(fsm) or create(fsm))
    assert fsm.queue().pending == 3


def test_catching_up_without_overlap_makes_one_job(fsm):
    made = create(fsm, overlap=Overlap.SKIP)
    fired = fire(fsm, made, made.next_ns, made.next_ns + MINUTE, next_ns=made.next_ns + 2 * MINUTE)
    assert (fired.fired, fired.skipped) == (1, 1)


def test_a_unique_key_keeps_a_second_job_out_but_time_goes_on(fsm, clock):
    made = create(fsm, unique=Unique("k", 3_600, UniqueUntil.SUCCESS))
    fire(fsm, made)
    fired = fire(fsm, now(fsm))
    assert (fired.fired, fired.skipped) == (0, 1)
    after = now(fsm)
    assert after.runs[-1].note == "duplicate"
    assert after.next_ns == made.next_ns + 2 * MINUTE
    fsm.lease(after.last_job_id)
    fsm.ack(after.last_job_id)
    assert fire(fsm, after).fired == 1


def test_a_job_that_cannot_be_made_does_not_stop_the_clock(fsm, monkeypatch):
    fsm.enqueue("other")
    made = create(fsm)
    monkeypatch.setattr(new_job, "QUEUES_MAX", 1)
    fired = fire(fsm, made)
    assert (fired.fired, fired.skipped) == (0, 1)
    assert "1 queues already" in now(fsm).runs[-1].note
    assert now(fsm).next_ns == made.next_ns + MINUTE


# By hand


def test_running_by_hand_makes_a_job_and_leaves_the_fire_times_alone(fsm):
    made = create(fsm, enabled=False)
    born = fsm.one(RunSchedule("sched_1"))
    after = now(fsm)
    assert fsm.state(born.job_id) == "pending"
    assert (after.last_job_id, after.next_ns, after.fired_total) == (born.job_id, None, 1)
    assert after.runs[-1].note == "by hand"
    assert after.version == made.version
    assert fsm.event_data(EventType.SCHEDULE_FIRED)[0]["by_hand"] is True


def test_running_by_hand_does_not_ask_about_overlap_but_counts_for_it(fsm):
    made = create(fsm, overlap=Overlap.SKIP)
    first, second = fsm.one(RunSchedule("sched_1")), fsm.one(RunSchedule("sched_1"))
    assert first.job_id != second.job_id
    assert fire(fsm, made).skipped == 1


@pytest.mark.parametrize("skips", [1, 2 * RUNS_KEPT])
def test_a_run_by_hand_that_has_ended_does_not_hide_one_that_has_not(fsm, skips):
    fire(fsm, create(fsm, overlap=Overlap.SKIP))
    running = now(fsm).last_job_id
    fsm.lease(running)
    by_hand = fsm.one(RunSchedule("sched_1")).job_id
    fsm.lease(by_hand)
    fsm.ack(by_hand)
    for _ in range(skips):
        assert fire(fsm, now(fsm)).skipped == 1
    assert len(now(fsm).runs) <= RUNS_KEPT
    fsm.ack(running)
    assert fire(fsm, now(fsm)).fired == 1


def test_running_by_hand_names_the_job_that_holds_the_unique_key(fsm):
    create(fsm, unique=Unique("k", 3_600, UniqueUntil.SUCCESS))
    first = fsm.one(RunSchedule("sched_1"))
    second = fsm.one(RunSchedule("sched_1"))
    assert second.job is None
    assert second.job_id == first.job_id
    assert now(fsm).fired_total == 1


def test_a_repeated_request_runs_once_and_gets_the_same_answer(fsm):
    create(fsm)
    once = Once("key", b"digest", 1)
    first = fsm.apply(once, RunSchedule("sched_1"))
    again = fsm.apply(once, RunSchedule("sched_1"))
    assert again[0] == Recalled(replayed=True)
    assert again[1].job_id == first[1].job_id
    assert fsm.queue().pending == 1


# Replicas and damage


def test_replicas_agree_byte_for_byte(fsm):
    made = create(fsm)
    fire(fsm, made, made.next_ns, made.next_ns + MINUTE, next_ns=made.next_ns + 2 * MINUTE)
    change(fsm, now(fsm), name="other")
    fsm.one(RunSchedule("sched_1"))
    kv = MemoryKv()
    for data in fsm.log:
        replica = Machine(kv)  # Restarted before every entry.
        applied = replica.apply(replica.index + 1, 1, decode(data))
        kv.write(applied.writes, sync=False)
    assert dict(kv.scan(b"\0", b"\xff")) == dict(fsm.kv.scan(b"\0", b"\xff"))


def test_answers_can_be_stored(fsm):
    made = create(fsm)
    for result in (fsm.one(DeleteSchedule("sched_1")), fire(fsm, made)):
        assert decode_result(encode_result(result)) == result


@pytest.mark.parametrize("prefix", [b"sc|", b"sn|", b"c|"])
def test_a_lost_record_is_found_by_the_invariants(prefix):
    from tests.support.fsm import Fsm

    fsm = Fsm()
    create(fsm)
    ((key, _),) = list(fsm.kv.scan(prefix, prefix[:-1] + b"}"))
    fsm.kv.write({key: None}, sync=False)
    assert list(check(fsm.kv))
