"""Schedules in virtual time: to the minute, over changes of the clocks, downtimes and changes of leader."""

from datetime import UTC, datetime

import pytest

from corvo.actors.status import GetStatus
from corvo.actors.time.messages import FindDueSchedules
from corvo.consensus.api import Position, Role
from corvo.core.clock import ManualClock
from corvo.core.cron import DstGap, DstOverlap
from corvo.core.errors import Overloaded
from corvo.core.firing import next_ns
from corvo.core.job import decode_job
from corvo.core.schedule import Misfire, Overlap
from corvo.fsm.machine import Machine
from corvo.ops.cron import DeleteSchedule, SetSchedule
from corvo.ops.entry import decode
from corvo.ops.finish import Ack
from corvo.storage import keys
from corvo.storage.invariants import check
from tests.support.schedules import DAY, HOUR, ns, plan, stored
from tests.support.write_path import WritePath

SECOND = 1_000_000_000


def create(path, schedule_id="sched_1", **fields):
    wanted = plan(**({"name": schedule_id.removeprefix("sched_")} | fields))
    first_ns = next_ns(wanted.timing, path.clock.now_ns()) if wanted.enabled else None
    path.do(SetSchedule(schedule_id, None, wanted, first_ns))


def at(path, time):
    """Whatever the time was: an empty node may have stood still for years."""
    path.clock.jump_to(ns(time))
    path.advance(0.001)


def slots(path, schedule_id="sched_1"):
    path.settle()
    return [shown(run.at_ns) for run in stored(path.kv, schedule_id).runs if run.job_id is not None]


def shown(at_ns):
    return datetime.fromtimestamp(at_ns // SECOND, UTC).strftime("%m-%d %H:%M")


def jobs(path):
    path.settle()
    return [decode_job(value) for _, value in path.kv.scan(keys.JOB, keys.after(keys.JOB))]


def restarted(path, time):
    """The node is killed, and started again at this time with what had reached the disk."""
    path.settle()
    return WritePath(kv=path.kv, clock=ManualClock(ns(time)))


# Time


def test_a_job_comes_within_fifty_milliseconds_of_its_time(path):
    at(path, "2026-01-01T00:00:10")
    create(path, cron="* * * * *")
    path.advance(49.9)
    assert jobs(path) == []
    path.advance(0.15)
    (job,) = jobs(path)
    assert job.created_ns - ns("2026-01-01T00:01:00") < 50_000_000


def test_a_waiting_worker_gets_the_job(path):
    at(path, "2026-01-01T00:00:10")
    create(path, cron="*/20 * * * * *")
    wait = path.wait(wait_s=30)
    path.advance(10.1)
    assert len(wait.result().jobs) == 1


def test_between_fire_times_nothing_is_written(path):
    at(path, "2026-01-01T00:00:10")
    create(path, cron="0 * * * *")
    path.advance(1)
    entries = path.entries
    path.advance(3_000)
    assert path.entries == entries


def test_an_earlier_schedule_wakes_a_schedule_firer_that_sleeps_for_a_later_one(path):
    at(path, "2026-01-01T00:00:10")
    create(path, "sched_late", cron="0 0 * * *")
    path.advance(3)
    create(path, "sched_soon", cron="*/15 * * * * *")
    path.advance(2.1)
    assert slots(path, "sched_soon") == ["01-01 00:00"]
    assert slots(path, "sched_late") == []


def test_hundreds_of_schedules_of_one_minute_all_fire_once(path):
    at(path, "2026-01-01T00:00:10")
    for number in range(100):
        create(path, f"sched_{number}")
    path.advance(51)
    assert len(jobs(path)) == 100
    assert {stored(path.kv, f"sched_{n}").fired_total for n in range(100)} == {1}
    path.advance(60)
    assert len(jobs(path)) == 200


def test_a_disabled_or_deleted_schedule_does_not_fire(path):
    at(path, "2026-01-01T00:00:10")
    create(path, "sched_off", enabled=False)
    create(path, "sched_gone")
    path.do(DeleteSchedule("sched_gone"))
    path.advance(120)
    assert jobs(path) == []


def test_overlap_skip_fires_again_when_the_job_has_ended(path):
    at(path, "2026-01-01T00:00:10")
    create(path, overlap=Overlap.SKIP)
    path.advance(120)
    (job,) = jobs(path)
    (whole,) = path.wait().result().jobs
    path.do(Ack(job.id, whole.job.lease.token))
    path.advance(60)
    schedule = stored(path.kv)
    assert (schedule.fired_total, schedule.skipped_total) == (2, 1)
    assert [run.note for run in schedule.runs] == [None, "overlap", None]


def test_figures_tell_what_was_done(path):
    at(path, "2026-01-01T00:00:10")
    create(path)
    path.advance(121)
    figures = path.system.ask(path.schedule_firer, GetStatus()).result().cron
    assert (figures.done_total, figures.errors_total) == (2, 0)


# The clocks change. Each line: cron, what is wanted, and the fire times in UTC.

CHANGES = {
    "New York forward": (
        "America/New_York",
        "2026-03-07T20:45:00",
        [
            ("30 2 * * *", {}, ["03-08 07:00", "03-09 06:30"]),
            ("30 2 * * *", {"dst_gap": DstGap.SKIP}, ["03-09 06:30"]),
            ("0 1-4 * * *", {}, ["03-08 06:00", "03-08 07:00", "03-08 08:00", "03-09 05:00", "03-09 06:00"]),
        ],
    ),
    "New York back": (
        "America/New_York",
        "2026-10-31T20:45:00",
        [
            ("30 1 * * *", {}, ["11-01 05:30", "11-02 06:30"]),
            ("30 1 * * *", {"dst_overlap": DstOverlap.LAST}, ["11-01 06:30", "11-02 06:30"]),
            ("30 1 * * *", {"dst_overlap": DstOverlap.BOTH}, ["11-01 05:30", "11-01 06:30", "11-02 06:30"]),
        ],
    ),
    "Berlin forward": (
        "Europe/Berlin",
        "2026-03-28T20:00:00",
        [
            ("30 2 * * *", {}, ["03-29 01:00", "03-30 00:30"]),
            ("30 2 * * *", {"dst_gap": DstGap.SKIP}, ["03-30 00:30"]),
            ("0 8 * * *", {}, ["03-29 06:00", "03-30 06:00"]),
        ],
    ),
    "Berlin back": (
        "Europe/Berlin",
        "2026-10-24T20:00:00",
        [
            ("30 2 * * *", {}, ["10-25 00:30", "10-26 01:30"]),
            ("30 2 * * *", {"dst_overlap": DstOverlap.LAST}, ["10-25 01:30", "10-26 01:30"]),
            ("30 2 * * *", {"dst_overlap": DstOverlap.BOTH}, ["10-25 00:30", "10-25 01:30", "10-26 01:30"]),
        ],
    ),
    "Lord Howe back": (
        "Australia/Lord_Howe",
        "2026-04-04T10:00:00",
        [
            ("45 1 * * *", {}, ["04-04 14:45", "04-05 15:15"]),
            ("45 1 * * *", {"dst_overlap": DstOverlap.LAST}, ["04-04 15:15", "04-05 15:15"]),
            ("45 1 * * *", {"dst_overlap": DstOverlap.BOTH}, ["04-04 14:45", "04-04 15:15", "04-05 15:15"]),
        ],
    ),
    "Lord Howe forward": (
        "Australia/Lord_Howe",
        "2026-10-03T10:00:00",
        [
            ("10 2 * * *", {}, ["10-03 15:30", "10-04 15:10"]),
            ("10 2 * * *", {"dst_gap": DstGap.SKIP}, ["10-04 15:10"]),
            ("0 3 * * *", {}, ["10-03 16:00", "10-04 16:00"]),
        ],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("zone", "start", "lines"), CHANGES.values(), ids=CHANGES)
def test_when_the_clocks_change(zone, start, lines):
    path = WritePath(clock=ManualClock(ns(start)))
    for number, (cron, wanted, _) in enumerate(lines):
        create(path, f"sched_{number}", cron=cron, timezone=zone, queue=f"q{number}", **wanted)

    for _ in range(34):
        path.advance(3_600)

    for number, (_, _, expected) in enumerate(lines):
        assert slots(path, f"sched_{number}") == expected
        made = [job for job in jobs(path) if job.queue == f"q{number}"]
        assert [shown(job.created_ns) for job in made] == expected
    assert list(check(path.kv)) == []


# Downtime


@pytest.mark.parametrize(
    ("misfire", "cron", "back_at", "expected"),
    [
        (Misfire.ONCE, "0 8 * * *", "2026-03-15T10:00:00", ["03-15 08:00"]),
        (Misfire.ONCE, "*/5 * * * *", "2026-03-15T10:01:00", ["03-15 10:00"]),
        (Misfire.SKIP, "0 8 * * *", "2026-03-15T10:00:00", []),
        (Misfire.SKIP, "*/5 * * * *", "2026-03-15T10:03:00", []),
        (Misfire.SKIP, "*/5 * * * *", "2026-03-15T10:00:10", ["03-15 10:00"]),
        (Misfire.ALL, "0 8 * * *", "2026-03-15T10:00:00", [f"03-{day:02} 08:00" for day in range(2, 16)]),
    ],
)
def test_two_weeks_of_downtime(misfire, cron, back_at, expected):
    path = WritePath(clock=ManualClock(ns("2026-03-01T10:00:30")))
    create(path, cron=cron, misfire=misfire)

    path = restarted(path, back_at)
    path.advance(1)

    assert [shown(run.at_ns) for run in stored(path.kv).runs if run.job_id] == expected[-10:]
    assert len(jobs(path)) == len(expected)
    assert stored(path.kv).next_ns == next_ns(plan(cron=cron).timing, path.clock.now_ns())
    path.advance(2)
    assert len(jobs(path)) == len(expected)
    assert list(check(path.kv)) == []


def test_two_weeks_of_downtime_over_a_change_of_the_clocks():
    path = WritePath(clock=ManualClock(ns("2026-03-01T10:00:00")))
    create(path, cron="30 2 * * *", timezone="America/New_York", misfire=Misfire.ALL)
    path = restarted(path, "2026-03-15T10:00:00")
    path.advance(1)
    assert stored(path.kv).fired_total == 14
    expected = [f"03-{day:02} 06:30" for day in range(9, 16)]
    assert slots(path)[-8:] == ["03-08 07:00", *expected]


def test_two_weeks_of_every_minute_make_no_more_than_a_hundred_jobs():
    path = WritePath(clock=ManualClock(ns("2026-03-01T10:00:30")))
    create(path, misfire=Misfire.ALL)
    path = restarted(path, "2026-03-15T10:00:30")
    path.advance(1)
    assert len(jobs(path)) == 100
    assert slots(path)[-1] == "03-15 10:00"
    path.advance(60)
    assert len(jobs(path)) == 101


def test_two_weeks_without_a_leader(path):
    at(path, "2026-03-01T10:00:30")
    create(path, "sched_once", cron="0 * * * *")
    create(path, "sched_all", cron="0 8 * * *", misfire=Misfire.ALL)
    create(path, "sched_skip", cron="0 8 * * *", misfire=Misfire.SKIP)
    path.feed.role_changed(Role.FOLLOWER, 2, "other")
    path.advance(14 * DAY / SECOND)
    assert jobs(path) == []

    path.feed.role_changed(Role.LEADER, 3, "n1")
    path.advance(0.5)

    fired = {name: stored(path.kv, f"sched_{name}").fired_total for name in ("once", "all", "skip")}
    assert fired == {"once": 1, "all": 14, "skip": 0}
    assert stored(path.kv, "sched_skip").runs[-1].note == "missed"


def test_a_clock_that_jumps_ahead_is_a_downtime_and_one_that_jumps_back_fires_nothing_twice(path):
    at(path, "2026-03-01T10:00:30")
    create(path, cron="0 * * * *")
    path.clock.advance(ns=5 * HOUR)
    path.advance(6)
    assert slots(path) == ["03-01 15:00"]
    path.clock.jump_to(ns("2026-03-01T10:59:58"))
    path.advance(10)
    assert slots(path) == ["03-01 15:00"]


# Leaders, crashes, lost answers


def test_a_refused_round_is_tried_again(path):
    at(path, "2026-01-01T00:00:10")
    create(path)
    path.consensus.refusal = Overloaded("busy", retry_after_ms=1)
    path.advance(55)
    assert jobs(path) == []
    path.consensus.refusal = None
    path.advance(1)
    assert slots(path) == ["01-01 00:01"]


def test_a_round_whose_outcome_is_unknown_is_tried_again_and_fires_once(path):
    at(path, "2026-01-01T00:00:10")
    create(path)
    path.consensus.hold = True
    path.advance(51)
    command, _ = path.consensus.held[0]
    path.consensus.lose_held()
    path.consensus.hold = False
    path.advance(1)
    assert slots(path) == ["01-01 00:01"]
    # And the lost one was agreed on after all.
    path.consensus._commit(command, None)
    path.advance(1)
    assert len(jobs(path)) == 1


def test_two_timekeepers_at_once_fire_once(path):
    at(path, "2026-01-01T00:00:10")
    create(path)
    path.consensus.hold = True
    path.advance(51)
    path.system.crash(path.schedule_firer)
    path.advance(2)
    assert len(path.consensus.held) >= 1
    path.consensus.let_go()
    path.advance(1)
    assert len(jobs(path)) == 1
    path.advance(60)
    assert slots(path) == ["01-01 00:01", "01-01 00:02"]
    path.system.supervisor.crashes = 0


@pytest.mark.parametrize("kept", [True, False], ids=["in the journal", "found by another leader"])
def test_a_node_killed_between_proposing_and_applying_fires_once(kept):
    path = WritePath(clock=ManualClock(ns("2026-01-01T00:00:10")))
    create(path)
    path.consensus.hold = True
    path.advance(51)
    ((command, _),) = path.consensus.held
    assert jobs(path) == []

    if kept:
        # Replayed before anybody leads.
        machine = Machine(path.kv)
        path.kv.write(machine.apply(machine.index + 1, 1, decode(command)).writes, sync=False)
    path = restarted(path, "2026-01-01T00:01:05")
    path.advance(1)
    if not kept:
        # Agreed on only after the new leader had the same idea.
        path.feed.committed(Position(path.machine.index + 1, 1), command, None)

    assert len(jobs(path)) == 1
    assert slots(path) == ["01-01 00:01"]
    assert stored(path.kv).fired_total == 1


def test_a_follower_does_not_fire_and_a_new_leader_does_at_once(path):
    at(path, "2026-01-01T00:00:10")
    create(path)
    path.feed.role_changed(Role.FOLLOWER, 2, "other")
    path.advance(120)
    assert jobs(path) == []
    path.feed.role_changed(Role.LEADER, 3, "n1")
    path.advance(0.1)
    assert slots(path) == ["01-01 00:02"]


def test_a_restarted_schedule_firer_goes_on(path):
    at(path, "2026-01-01T00:00:10")
    create(path)
    path.system.crash(path.schedule_firer)
    path.advance(60)
    assert slots(path) == ["01-01 00:01"]
    path.system.supervisor.crashes = 0


def test_a_time_zone_this_node_does_not_know_holds_up_nobody_else(path):
    at(path, "2026-01-01T00:00:10")
    wanted = plan(name="mars", timezone="Mars/Olympus")
    path.do(SetSchedule("sched_mars", None, wanted, ns("2026-01-01T00:00:30")))
    create(path)
    path.advance(120)
    assert slots(path) == ["01-01 00:01", "01-01 00:02"]
    assert slots(path, "sched_mars") == []
    figures = path.system.ask(path.schedule_firer, GetStatus()).result().cron
    assert 1 <= figures.errors_total < 50


def test_what_is_due_is_found_soonest_first(path):
    at(path, "2026-01-01T00:00:10")
    create(path, "sched_b", cron="30 0 * * *")
    create(path, "sched_a", cron="40 0 * * *")
    found = path.system.ask(path.fsm, FindDueSchedules(ns("2026-01-01T00:35:00"), 10)).result()
    assert [schedule.id for schedule in found.schedules] == ["sched_b"]
    assert found.next_ns == ns("2026-01-01T00:30:00")
