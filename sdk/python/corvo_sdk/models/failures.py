"""Failed jobs by what their errors have in common."""

from datetime import datetime

import msgspec

from corvo_sdk.models.base import Model


class FailedJob(Model, frozen=True, kw_only=True):
    """One of a group, as far as a list shows it."""

    id: str
    queue: str
    state: str
    error: str
    failed_at: datetime


class Failure(Model, frozen=True, kw_only=True):
    """Dead and retrying jobs whose errors are the same but for numbers, ids, addresses and the like."""

    #: What the errors have in common; also the name of the group in filters.
    failure: str
    count: int
    dead: int
    retrying: int
    first_at: datetime
    last_at: datetime
    #: The queues with most of them.
    queues: dict[str, int]
    #: How many failed in each of equal stretches of time.
    timeline: list[int]
    #: The last to fail, newest first.
    sample: list[FailedJob]


class Failures(Model, frozen=True, kw_only=True):
    failures: list[Failure]
    #: Of all groups, and of all failed jobs, not only of those listed.
    total: int
    jobs: int
    #: What the timelines cover.
    since: datetime = msgspec.field(name="from")
    until: datetime = msgspec.field(name="to")
    #: Queues whose texts are sealed, so that filters on payloads and errors did not look into them.
    unsearchable: list[str] = msgspec.field(default_factory=list)
