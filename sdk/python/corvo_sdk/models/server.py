"""Queues, batches, schedules, webhooks, workers and the server itself."""

from datetime import datetime
from typing import Any

import msgspec

from corvo_sdk.models.base import Model
from corvo_sdk.models.job import Job


class Queue(Model, frozen=True, kw_only=True):
    """Settings and live counters of a queue."""

    name: str
    paused: bool = False
    pending: int = 0
    #: Of those pending, how many wait for other jobs.
    blocked: int = 0
    active: int = 0
    held: int = 0
    completed: int = 0
    dead: int = 0
    scheduled: int = 0
    retrying: int = 0
    cancelled: int = 0
    #: Jobs ever enqueued and ever completed, and attempts ever failed.
    enqueued: int = 0
    completed_total: int = 0
    failed: int = 0
    max_concurrency: int | None = None
    rate_limit: int | None = None
    rate_window_ms: int | None = None
    created_at: datetime | None = None
    oldest_pending_at: datetime | None = None


class Drained(Model, frozen=True, kw_only=True):
    #: drained, or draining while `active` jobs still run.
    status: str
    active: int = 0


class Cleared(Model, frozen=True, kw_only=True):
    status: str
    deleted: int = 0


class Batch(Model, frozen=True, kw_only=True):
    """Jobs that belong together."""

    id: str
    total: int = 0
    pending: int = 0
    succeeded: int = 0
    failed: int = 0
    sealed: bool = False
    callback_queue: str | None = None
    callback_payload: Any = None
    callback_job_id: str | None = None
    created_at: datetime | None = None
    ended_at: datetime | None = None


class BatchPage(Model, frozen=True, kw_only=True):
    batches: list[Batch]
    has_more: bool = False
    cursor: str | None = None


class BatchOpened(Model, frozen=True, kw_only=True):
    batch_id: str


class BatchSealed(Model, frozen=True, kw_only=True):
    status: str = "sealed"
    #: Made at once if all jobs had ended.
    callback_job: Job | None = None


class Run(Model, frozen=True, kw_only=True):
    """A fire time and what came of it: a job, or the reason why there is none."""

    at: datetime
    job_id: str | None = None
    note: str | None = None


class Schedule(Model, frozen=True, kw_only=True):
    """A job that comes again and again."""

    id: str
    name: str
    queue: str
    cron: str
    timezone: str = "UTC"
    enabled: bool = True
    payload: Any = None
    priority: int = 2
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    unique_key: str | None = None
    max_retries: int | None = None
    dst_gap: str | None = None
    dst_overlap: str | None = None
    misfire: str | None = None
    overlap: str | None = None
    #: Grows with every change.
    version: int = 0
    #: Jobs made so far, and fire times that got none.
    fired: int = 0
    skipped: int = 0
    #: The latest ten, the latest last.
    runs: list[Run] = msgspec.field(default_factory=list)
    last_run: datetime | None = None
    last_job_id: str | None = None
    next_run: datetime | None = None
    created_at: datetime | None = None


class FireTime(Model, frozen=True, kw_only=True):
    at: datetime
    #: The same instant as the clocks of the time zone show it.
    local: str = ""


class Preview(Model, frozen=True, kw_only=True):
    """The next times of a schedule."""

    runs: list[FireTime]
    timezone: str = "UTC"


class Webhook(Model, frozen=True, kw_only=True):
    """Where the server reports events to."""

    id: str
    url: str
    events: list[str] = msgspec.field(default_factory=list)
    enabled: bool = True
    has_secret: bool = False
    retry_limit: int = 3
    #: The last event it is done with.
    cursor: int = 0
    delivered_total: int = 0
    failed_total: int = 0
    disabled_reason: str | None = None
    failing_since: datetime | None = None
    created_at: datetime | None = None
    last_status_code: int | None = None
    last_error: str | None = None
    last_delivery_at: datetime | None = None


class WebhookChanged(Model, frozen=True, kw_only=True):
    status: str
    id: str


class Delivery(Model, frozen=True, kw_only=True):
    seq: int
    type: str
    delivered: bool
    at: datetime | None = None
    attempts: int = 1
    took_ms: int = 0
    status_code: int | None = None
    error: str | None = None


class Deliveries(Model, frozen=True, kw_only=True):
    deliveries: list[Delivery]


class Sent(Model, frozen=True, kw_only=True):
    """What became of a delivery that was made while you waited."""

    status: str
    delivered: bool | None = None
    took_ms: int | None = None
    status_code: int | None = None
    error: str | None = None
    from_seq: int | None = None


class WorkerInfo(Model, frozen=True, kw_only=True):
    """A worker as the server knows it."""

    id: str
    hostname: str | None = None
    queue_names: list[str] = msgspec.field(default_factory=list)
    last_heartbeat: datetime | None = None
    started_at: datetime | None = None
    active_jobs: int = 0
    status: str = ""


class Info(Model, frozen=True, kw_only=True):
    server_version: str
    api_version: str


class Health(Model, frozen=True, kw_only=True):
    status: str
    raft_state: str = ""
    leader: bool = False


class Minute(Model, frozen=True, kw_only=True):
    """How much went through in one minute."""

    minute: datetime
    enqueued: int = 0
    completed: int = 0
    failed: int = 0


class QueueHour(Model, frozen=True, kw_only=True):
    """Sixty minutes of one queue, oldest first."""

    enqueued: list[int]
    completed: list[int]
    failed: list[int]


class QueueHours(Model, frozen=True, kw_only=True):
    #: When the first of the sixty minutes began.
    start: datetime
    queues: dict[str, QueueHour]
