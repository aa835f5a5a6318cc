"""Schedules as clients write and read them (docs/reference/cron.md)."""

import enum
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType
from msgspec.structs import asdict, fields

from corvo.core.backoff import Backoff
from corvo.core.clock import NS_PER_S
from corvo.core.cron import DstGap, DstOverlap
from corvo.core.errors import ValidationFailed
from corvo.core.firing import cron_of
from corvo.core.job import UniqueUntil
from corvo.core.limits import (
    MAX_RETRIES_MAX,
    SCHEDULE_NAME_CHARS_MAX,
    UNIQUE_KEY_CHARS_MAX,
    UNIQUE_PERIOD_S_MAX,
)
from corvo.core.namespace import name_of, qualified
from corvo.core.priority import Priority
from corvo.core.schedule import Misfire, Overlap, Pattern, Plan, Schedule, Timing
from corvo.core.times import format_duration, format_time_ns
from corvo.http.api.schema.enqueue import EnqueueRequest, Maker, Milliseconds, new_job

Word = TypeVar("Word", bound=enum.IntEnum)


class ScheduleRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A new schedule, or the members of one that are to change; null stands for the default."""

    name: str | UnsetType | None = UNSET
    cron: str | UnsetType | None = UNSET
    timezone: str | UnsetType | None = UNSET
    dst_gap: str | UnsetType | None = UNSET
    dst_overlap: str | UnsetType | None = UNSET
    misfire: str | UnsetType | None = UNSET
    overlap: str | UnsetType | None = UNSET
    enabled: bool | UnsetType | None = UNSET
    #: Change it only if it still has this version.
    version: Annotated[int, Meta(ge=0, le=2**53)] | UnsetType | None = UNSET
    queue: str | UnsetType | None = UNSET
    payload: Raw | UnsetType = UNSET
    priority: str | int | UnsetType | None = UNSET
    unique_key: Annotated[str, Meta(max_length=UNIQUE_KEY_CHARS_MAX)] | UnsetType | None = UNSET
    unique_period: Annotated[int, Meta(le=UNIQUE_PERIOD_S_MAX)] | UnsetType | None = UNSET
    unique_until: str | UnsetType | None = UNSET
    max_retries: Annotated[int, Meta(ge=0, le=MAX_RETRIES_MAX)] | UnsetType | None = UNSET
    retry_backoff: str | UnsetType | None = UNSET
    retry_base_delay: str | UnsetType | None = UNSET
    retry_base_delay_ms: Milliseconds | UnsetType | None = UNSET
    retry_max_delay: str | UnsetType | None = UNSET
    retry_max_delay_ms: Milliseconds | UnsetType | None = UNSET
    retry_jitter: Annotated[float, Meta(ge=0, le=1)] | UnsetType | None = UNSET
    expire_after: str | UnsetType | None = UNSET
    expire_after_ms: Milliseconds | UnsetType | None = UNSET
    tags: dict[str, str] | UnsetType | None = UNSET


class PreviewRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Fire times of a schedule that need not exist."""

    cron: str | None = None
    timezone: str | None = None
    dst_gap: str | None = None
    dst_overlap: str | None = None
    n: int | None = None
    #: Fire times after this; after now if it is left out.
    after: str | None = None


class RunBody(msgspec.Struct, omit_defaults=True):
    """A fire time and what came of it: a job, or the reason why there is none."""

    at: str
    job_id: str | UnsetType = UNSET
    note: str | UnsetType = UNSET


class ScheduleBody(msgspec.Struct, omit_defaults=True):
    id: str
    name: str
    queue: str
    cron: str
    timezone: str
    enabled: bool
    misfire: str
    overlap: str
    dst_gap: str
    dst_overlap: str
    payload: Any
    priority: int
    priority_name: str
    max_retries: int
    retry_backoff: str
    retry_base_delay: str
    retry_max_delay: str
    created_at: str
    updated_at: str
    #: Grows with every change.
    version: int
    #: Jobs made so far, and fire times that got none.
    fired: int
    skipped: int
    #: The latest ten, the latest last.
    runs: list[RunBody]
    next_run: str | UnsetType = UNSET
    last_run: str | UnsetType = UNSET
    last_job_id: str | UnsetType = UNSET
    retry_jitter: float | UnsetType = UNSET
    unique_key: str | UnsetType = UNSET
    unique_period: int | UnsetType = UNSET
    unique_until: str | UnsetType = UNSET
    expire_after: str | UnsetType = UNSET
    tags: dict[str, str] | UnsetType = UNSET


class FireTime(msgspec.Struct):
    at: str
    #: That instant as the clocks of the time zone show it.
    local: str


class PreviewBody(msgspec.Struct):
    timezone: str
    runs: list[FireTime]


# From request to plan

#: Members of a schedule that describe its jobs, and mean what they mean when a job is enqueued.
_JOB_MEMBERS = frozenset(f.name for f in fields(ScheduleRequest)) & {f.name for f in fields(EnqueueRequest)}
_PATTERN_MEMBERS = tuple(f.name for f in fields(Pattern))
#: Two ways to say the same: giving one takes back the other.
_SPELLINGS = ("retry_base_delay", "retry_max_delay", "expire_after")


def new_plan(request: ScheduleRequest, maker: Maker) -> Plan:
    """Every member checked; what is not allowed is refused by name."""
    return _plan(_given(request), maker)


def changed_plan(was: Plan, request: ScheduleRequest, maker: Maker) -> Plan:
    """Members that are given replace the old ones."""
    given = _given(request)
    members = _members(was)
    for spelling in _SPELLINGS:
        if {spelling, f"{spelling}_ms"} & given.keys():
            del members[f"{spelling}_ms"]
    return _plan(members | given, maker)


def _given(request: ScheduleRequest) -> dict[str, Any]:
    return {name: value for name, value in asdict(request).items() if value is not UNSET}


def _plan(members: dict[str, Any], maker: Maker) -> Plan:
    asked = {name: value for name, value in members.items() if name in _JOB_MEMBERS}
    job = new_job(EnqueueRequest(**asked), maker)
    enabled = members.get("enabled")
    return Plan(
        name=qualified(maker.namespace, _name(members.get("name"))),
        timing=timing(PreviewRequest(*(members.get(f.name) for f in fields(Timing)))),
        pattern=Pattern(*(getattr(job, name) for name in _PATTERN_MEMBERS)),
        misfire=_word(Misfire, members.get("misfire"), "misfire"),
        overlap=_word(Overlap, members.get("overlap"), "overlap"),
        enabled=True if enabled is None else enabled,
    )


def _members(plan: Plan) -> dict[str, Any]:
    """The request that would make this plan."""
    job = plan.pattern
    members = {
        "name": name_of(plan.name),
        "cron": plan.timing.cron,
        "timezone": plan.timing.timezone,
        "dst_gap": _label(plan.timing.dst_gap),
        "dst_overlap": _label(plan.timing.dst_overlap),
        "misfire": _label(plan.misfire),
        "overlap": _label(plan.overlap),
        "enabled": plan.enabled,
        "queue": name_of(job.queue),
        "payload": Raw(job.payload),
        "priority": int(job.priority),
        "max_retries": job.max_retries,
        "retry_backoff": job.backoff.label,
        "retry_base_delay_ms": job.retry_base_ms,
        "retry_max_delay_ms": job.retry_max_ms,
        "retry_jitter": job.retry_jitter,
        "expire_after_ms": job.expire_after_ms,
        "tags": job.tags,
    }
    if job.unique is not None:
        members["unique_key"] = job.unique.key
        members["unique_period"] = job.unique.period_s
        members["unique_until"] = _label(job.unique.until)
    return members


def timing(request: PreviewRequest) -> Timing:
    if not request.cron:
        raise ValidationFailed("cron is required")
    found = Timing(
        cron=" ".join(request.cron.split()),
        timezone=request.timezone or "UTC",
        dst_gap=_word(DstGap, request.dst_gap, "dst_gap"),
        dst_overlap=_word(DstOverlap, request.dst_overlap, "dst_overlap"),
    )
    # What never fires is refused like what is no cron expression at all.
    cron_of(found).next_ns(0)
    return found


def _name(given: str | None) -> str:
    if not given:
        raise ValidationFailed("name is required")
    if len(given) > SCHEDULE_NAME_CHARS_MAX:
        raise ValidationFailed(f"name is longer than {SCHEDULE_NAME_CHARS_MAX} characters")
    if "/" in given or not given.isprintable() or given.strip() != given:
        raise ValidationFailed(
            "name may not contain '/' or control characters, nor begin or end with a space"
        )
    if given.startswith("sched_"):
        raise ValidationFailed(f"name: {given!r} looks like an id; choose another")
    return given


def _word(kind: type[Word], given: str | None, field: str) -> Word:
    if not given:
        return kind(0)
    for word in kind:
        if _label(word) == given:
            return word
    raise ValidationFailed(f"{field}: {given[:40]!r} is not one of {', '.join(map(_label, kind))}")


def _label(word: enum.IntEnum) -> str:
    return word.name.lower()


# From document to answer


def schedule_body(schedule: Schedule) -> ScheduleBody:
    plan, job = schedule.plan, schedule.plan.pattern
    body = ScheduleBody(
        id=schedule.id,
        name=name_of(plan.name),
        queue=name_of(job.queue),
        cron=plan.timing.cron,
        timezone=plan.timing.timezone,
        enabled=plan.enabled,
        misfire=_label(plan.misfire),
        overlap=_label(plan.overlap),
        dst_gap=_label(plan.timing.dst_gap),
        dst_overlap=_label(plan.timing.dst_overlap),
        payload=Raw(job.payload),
        priority=int(job.priority),
        priority_name=_label(Priority(job.priority)),
        max_retries=job.max_retries,
        retry_backoff=Backoff(job.backoff).label,
        retry_base_delay=format_duration(job.retry_base_ms),
        retry_max_delay=format_duration(job.retry_max_ms),
        created_at=format_time_ns(schedule.created_ns),
        updated_at=format_time_ns(schedule.updated_ns),
        version=schedule.version,
        fired=schedule.fired_total,
        skipped=schedule.skipped_total,
        runs=[RunBody(format_time_ns(r.at_ns), r.job_id or UNSET, r.note or UNSET) for r in schedule.runs],
        next_run=_time(schedule.next_ns),
        last_run=_time(schedule.last_ns),
        last_job_id=schedule.last_job_id or UNSET,
        retry_jitter=job.retry_jitter or UNSET,
        expire_after=UNSET if job.expire_after_ms is None else format_duration(job.expire_after_ms),
        tags=job.tags or UNSET,
    )
    if job.unique is not None:
        body.unique_key = job.unique.key
        body.unique_period = job.unique.period_s
        body.unique_until = _label(UniqueUntil(job.unique.until))
    return body


def preview_body(of: Timing, after_ns: int, count: int) -> PreviewBody:
    zone = ZoneInfo(of.timezone)
    times = islice(cron_of(of).upcoming_ns(after_ns), count)
    return PreviewBody(of.timezone, [FireTime(format_time_ns(at), _local(at, zone)) for at in times])


def _local(at_ns: int, zone: ZoneInfo) -> str:
    return datetime.fromtimestamp(at_ns // NS_PER_S, UTC).astimezone(zone).isoformat()


def _time(time_ns: int | None) -> str | UnsetType:
    return UNSET if time_ns is None else format_time_ns(time_ns)
