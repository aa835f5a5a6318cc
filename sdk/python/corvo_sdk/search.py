"""Filters of searches and bulk actions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict

from corvo_sdk.durations import as_time
from corvo_sdk.options import Priority


class Filter(TypedDict, total=False):
    """All that are given must match."""

    queue: str
    state: str | Sequence[str]
    priority: Priority
    tags: Mapping[str, str]
    payload_contains: str
    #: Such as `.amount > 100` or `.user.name | startswith("a")`.
    payload_jq: str
    created_after: datetime | str
    created_before: datetime | str
    scheduled_after: datetime | str
    scheduled_before: datetime | str
    started_after: datetime | str
    started_before: datetime | str
    completed_after: datetime | str
    completed_before: datetime | str
    expire_after: datetime | str
    expire_before: datetime | str
    attempt_min: int
    attempt_max: int
    unique_key: str
    batch_id: str
    worker_id: str
    parent_id: str
    group: str
    chain_id: str
    has_errors: bool
    error_contains: str
    #: As `failures()` names it; only dead and retrying jobs have one.
    failure: str
    job_id_prefix: str
    job_id_suffix: str
    sort: Literal[
        "created_at", "priority", "started_at", "completed_at", "attempt", "failed_at", "scheduled_at"
    ]
    order: Literal["asc", "desc"]


def filter_body(given: Filter) -> dict[str, Any]:
    """As it is sent: one state is a list of one, times are text."""
    body: dict[str, Any] = dict(given)
    if isinstance(body.get("state"), str):
        body["state"] = [body["state"]]
    for name, value in body.items():
        if isinstance(value, datetime):
            body[name] = as_time(value)
    return body
