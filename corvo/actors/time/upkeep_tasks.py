"""Upkeep tasks: what the scheduler does, as data. Which family of due times leads to which op."""

from collections.abc import Callable

import msgspec

from corvo.actors.time.messages import AUDIT, EVENTS, WORKERS
from corvo.core.clock import NS_PER_MS, NS_PER_S
from corvo.core.limits import UPKEEP_IDS_MAX, WORKER_SILENT_NS_MAX
from corvo.ops.audit import TrimAudit
from corvo.ops.base import Op
from corvo.ops.bulk import PurgeBulk
from corvo.ops.flow import PurgeBatches, Resolve
from corvo.ops.lease import Reclaim
from corvo.ops.upkeep import CleanIdempotency, CleanUnique, Expire, Promote, Purge, TrimEvents, TrimWorkers
from corvo.storage import keys

#: How long an ended bulk task can be looked up.
_BULK_KEPT_NS = 24 * 3_600 * NS_PER_S


class Task(msgspec.Struct, frozen=True):
    name: str
    #: The family of due times that drives the task.
    family: bytes
    #: Makes the op, given the time.
    make: Callable[[int], Op]
    #: At most one round per this: small for what people wait for, large for sweeping up.
    interval_ns: int
    #: Added to the due time found: things are removed some time after they have ended.
    grace_ns: int = 0
    #: For what becomes due by number rather than by time: how many may be kept, and how often to look.
    kept_max: int = 0
    recheck_ns: int = 0


class UpkeepSettings(msgspec.Struct, frozen=True):
    max_lease_expirations: int
    retention_ns: int
    retention_interval_ns: int
    events_kept: int
    events_age_ns: int
    audit_kept: int
    audit_age_ns: int


def tasks(settings: UpkeepSettings) -> tuple[Task, ...]:
    limit = UPKEEP_IDS_MAX
    return (
        Task("promote", keys.DUE, lambda _: Promote(limit), 5 * NS_PER_MS),
        Task("reclaim", keys.LEASE, lambda _: Reclaim(limit, settings.max_lease_expirations), 20 * NS_PER_MS),
        Task("expire", keys.EXPIRY, lambda _: Expire(limit), 20 * NS_PER_MS),
        Task(
            "purge",
            keys.ENDED,
            lambda now_ns: Purge(now_ns - settings.retention_ns, limit),
            settings.retention_interval_ns,
            settings.retention_ns,
        ),
        Task(
            "purge_batches",
            keys.BATCH_OVER,
            lambda now_ns: PurgeBatches(now_ns - settings.retention_ns, limit),
            settings.retention_interval_ns,
            settings.retention_ns,
        ),
        Task(
            "purge_bulk",
            keys.BULK_ENDED,
            lambda now_ns: PurgeBulk(now_ns - _BULK_KEPT_NS, limit),
            60 * NS_PER_S,
            _BULK_KEPT_NS,
        ),
        Task("resolve", keys.RESOLVING, lambda _: Resolve(limit), 0),
        Task("clean_unique", keys.UNIQUE_EXPIRY, lambda _: CleanUnique(limit), 30 * NS_PER_S),
        Task("clean_idempotency", keys.IDEMPOTENCY_EXPIRY, lambda _: CleanIdempotency(limit), 60 * NS_PER_S),
        Task(
            "trim_events",
            EVENTS,
            lambda now_ns: TrimEvents(settings.events_kept, now_ns - settings.events_age_ns, limit),
            60 * NS_PER_S,
            settings.events_age_ns,
            kept_max=settings.events_kept,
            recheck_ns=60 * NS_PER_S,
        ),
        Task(
            "trim_audit",
            AUDIT,
            lambda now_ns: TrimAudit(settings.audit_kept, now_ns - settings.audit_age_ns, limit),
            60 * NS_PER_S,
            settings.audit_age_ns,
            kept_max=settings.audit_kept,
            recheck_ns=60 * NS_PER_S,
        ),
        Task(
            "trim_workers",
            WORKERS,
            lambda now_ns: TrimWorkers(now_ns - WORKER_SILENT_NS_MAX, limit),
            3_600 * NS_PER_S,
            WORKER_SILENT_NS_MAX,
            recheck_ns=3_600 * NS_PER_S,
        ),
    )
