"""Schedules: set, deleted and fired. Their jobs are made like all others, by `new_job.take_in`."""

from msgspec.structs import asdict, replace

from corvo.core.errors import Conflict, CorvoError, NotFound, ValidationFailed
from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.limits import SCHEDULES_MAX
from corvo.core.namespace import Qualified, Reach, covers, name_of, namespace_of
from corvo.core.schedule import RUNS_KEPT, Overlap, Run, Schedule, decode_schedule, encode_schedule
from corvo.core.states import TERMINAL
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import quotas, removal
from corvo.fsm.rules.new_job import take_in
from corvo.ops.cron import DeleteSchedule, FireSchedule, RunSchedule, SetSchedule
from corvo.ops.enqueue import NewJob
from corvo.ops.results import Enqueued, ScheduleChanged, ScheduleFired
from corvo.storage import keys

#: Why a fire time got no job.
MISSED = "missed"
OVERLAP = "overlap"
DUPLICATE = "duplicate"


# Plans


@applies(SetSchedule)
def set_schedule(op: SetSchedule, tx: EntryTx) -> ScheduleChanged:
    namespace = namespace_of(op.plan.name)
    if namespace_of(op.plan.pattern.queue) != namespace:
        raise ValidationFailed("queue: it must be in the namespace of the schedule")
    was = None if op.version is None else _existing(tx, op.schedule_id, op.reach)
    if was is not None and namespace_of(was.plan.name) != namespace:
        raise _missing(op.schedule_id)
    if was is not None and was.version != op.version:
        raise Conflict(f"schedule {was.id} was changed by somebody else; read it again", version=was.version)
    quotas.guarded(tx, namespace)
    _claim_name(tx, op.plan.name, op.schedule_id)
    if was is None:
        return _create(op, tx)
    if was.plan.name != op.plan.name:
        tx.kv.delete(keys.schedule_name(was.plan.name))
    now = replace(was, plan=op.plan, version=was.version + 1, updated_ns=tx.now_ns)
    if not was.plan.fires_like(op.plan):
        if op.next_ns is not None and was.dealt_ns != op.dealt_ns:
            # What was computed may be the very time that has just been fired.
            raise Conflict(f"schedule {was.id} has fired meanwhile; read it again", version=was.version)
        now = replace(now, next_ns=op.next_ns)
    return ScheduleChanged(_store(tx, now, was))


def _create(op: SetSchedule, tx: EntryTx) -> ScheduleChanged:
    if tx.state.schedules >= SCHEDULES_MAX:
        raise ValidationFailed(f"there are {SCHEDULES_MAX} schedules already; delete some that are not used")
    tx.state.schedules += 1
    schedule = Schedule(
        id=op.schedule_id,
        plan=op.plan,
        created_ns=tx.now_ns,
        updated_ns=tx.now_ns,
        next_ns=op.next_ns,
    )
    return ScheduleChanged(_store(tx, schedule, None))


def _claim_name(tx: EntryTx, name: Qualified, schedule_id: str) -> None:
    key = keys.schedule_name(name)
    holder = tx.kv.get(key)
    if holder is not None and holder != schedule_id.encode():
        raise Conflict(f"there is a schedule called {name_of(name)!r} already", schedule_id=holder.decode())
    tx.kv.put(key, schedule_id.encode())


@applies(DeleteSchedule)
def delete(op: DeleteSchedule, tx: EntryTx) -> ScheduleChanged:
    was = _existing(tx, op.schedule_id, op.reach)
    removal.remove_schedule(tx, was)
    return ScheduleChanged(was)


# Firing


@applies(FireSchedule)
def fire(op: FireSchedule, tx: EntryTx) -> ScheduleFired:
    was = _find(tx, op.schedule_id)
    if was is None or was.version != op.version or was.next_ns != op.due_ns:
        return ScheduleFired(0, 0)  # Deleted or changed meanwhile, or fired by the leader before this one.
    now = was
    if op.missed_ns is not None:
        now = _ran(tx, now, Run(op.missed_ns, None, MISSED))
    for slot_ns in op.slots:
        now = _run(tx, now, slot_ns)
    dealt_ns = max(op.due_ns, op.missed_ns or 0, *op.slots)
    _store(tx, replace(now, next_ns=op.next_ns, dealt_ns=dealt_ns), was)
    return ScheduleFired(now.fired_total - was.fired_total, now.skipped_total - was.skipped_total)


def _run(tx: EntryTx, schedule: Schedule, slot_ns: int) -> Schedule:
    """One fire time. If no job can be made, the reason is noted and the schedule goes on."""
    if schedule.plan.overlap is Overlap.SKIP and _has_running(tx, schedule):
        return _ran(tx, schedule, Run(slot_ns, None, OVERLAP))
    try:
        born = take_in(_new_job(tx, schedule), tx, by_client=False)
    except CorvoError as error:
        return _ran(tx, schedule, Run(slot_ns, None, error.message))
    if born.job is None:
        return _ran(tx, schedule, Run(slot_ns, None, DUPLICATE))
    _announce(tx, schedule, born.job, slot_ns, by_hand=False)
    return _ran(tx, schedule, Run(slot_ns, born.job_id))


@applies(RunSchedule)
def run_now(op: RunSchedule, tx: EntryTx) -> Enqueued:
    was = _existing(tx, op.schedule_id, op.reach)
    born = take_in(_new_job(tx, was), tx)
    if born.job is not None:
        _announce(tx, was, born.job, tx.now_ns, by_hand=True)
        _store(tx, _ran(tx, was, Run(tx.now_ns, born.job_id, "by hand")), was)
    return born


def _has_running(tx: EntryTx, schedule: Schedule) -> bool:
    """Whether a job of the schedule has not ended. The last one may have been run by hand, so all count."""
    job_ids = {schedule.last_job_id, *(run.job_id for run in schedule.runs)}
    return any(_is_running(tx, job_id) for job_id in job_ids)


def _is_running(tx: EntryTx, job_id: str | None) -> bool:
    job = None if job_id is None else tx.job(job_id)
    return job is not None and job.state not in TERMINAL


def _new_job(tx: EntryTx, schedule: Schedule) -> NewJob:
    return NewJob(
        job_id=tx.new_id("job"),
        scheduled_ns=None,
        checkpoint=None,
        parent_id=None,
        group=None,
        **asdict(schedule.plan.pattern),
    )


def _announce(tx: EntryTx, schedule: Schedule, job: Job, slot_ns: int, *, by_hand: bool) -> None:
    facts = {
        "schedule_id": schedule.id,
        "name": name_of(schedule.plan.name),
        "slot_ns": slot_ns,
        "by_hand": by_hand or None,
    }
    tx.emit(EventType.SCHEDULE_FIRED, job, facts)


def _ran(tx: EntryTx, schedule: Schedule, run: Run) -> Schedule:
    runs = [*schedule.runs, run]
    if len(runs) > RUNS_KEPT:
        # The oldest, but rather one that has ended: `_has_running` must see the jobs that go on.
        del runs[next((place for place, old in enumerate(runs) if not _is_running(tx, old.job_id)), 0)]
    if run.job_id is None:
        return replace(schedule, runs=tuple(runs), skipped_total=schedule.skipped_total + 1)
    return replace(
        schedule,
        runs=tuple(runs),
        fired_total=schedule.fired_total + 1,
        last_ns=run.at_ns,
        last_job_id=run.job_id,
    )


# Documents


def _find(tx: EntryTx, schedule_id: str) -> Schedule | None:
    stored = tx.kv.get(keys.schedule(schedule_id))
    return None if stored is None else decode_schedule(stored)


def _existing(tx: EntryTx, schedule_id: str, reach: Reach | None) -> Schedule:
    found = _find(tx, schedule_id)
    if found is None or not covers(reach, found.plan.pattern.queue):
        raise _missing(schedule_id)
    return found


def _missing(schedule_id: str) -> NotFound:
    return NotFound(f"schedule {schedule_id} does not exist")


def _store(tx: EntryTx, now: Schedule, was: Schedule | None) -> Schedule:
    """The document and its place among the due times."""
    tx.kv.put(keys.schedule(now.id), encode_schedule(now))
    if was is not None and was.next_ns is not None and was.next_ns != now.next_ns:
        tx.kv.delete(keys.timed(keys.SCHEDULE_DUE, was.next_ns, was.id))
    if now.next_ns is not None:
        tx.kv.put(keys.timed(keys.SCHEDULE_DUE, now.next_ns, now.id), b"")
        tx.state.due.note(keys.SCHEDULE_DUE, now.next_ns)
    return now
