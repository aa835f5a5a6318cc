"""A search as clients write it (SPEC 2.13): the body of POST /jobs/search, the filter of a bulk request."""

from typing import Any, Final

import msgspec

from corvo.core.errors import ValidationFailed
from corvo.core.job import Priority
from corvo.core.states import BY_LABEL, JobState
from corvo.core.times import parse_time_ns
from corvo.storage.mirror.search.query import LIMIT_DEFAULT, Query, Range, Sort

_PRIORITIES: Final = {
    "critical": Priority.CRITICAL,
    "high": Priority.HIGH,
    "normal": Priority.NORMAL,
    # Texts of the reference speak of it; it never existed.
    "low": Priority.NORMAL,
}
_ALIKE: Final = (
    "queue",
    "payload_contains",
    "payload_jq",
    "attempt_min",
    "attempt_max",
    "unique_key",
    "batch_id",
    "worker_id",
    "parent_id",
    "chain_id",
    "has_errors",
    "error_contains",
    "failure",
    "job_id_prefix",
    "cursor",
)


class SearchRequest(msgspec.Struct, kw_only=True):
    """Unknown members are ignored: SDKs of two generations send extra ones."""

    queue: str | None = None
    state: list[str] | str | None = None
    priority: str | int | None = None
    tags: dict[str, str] | None = None
    payload_contains: str | None = None
    payload_jq: str | None = None
    created_after: str | None = None
    created_before: str | None = None
    scheduled_after: str | None = None
    scheduled_before: str | None = None
    started_after: str | None = None
    started_before: str | None = None
    completed_after: str | None = None
    completed_before: str | None = None
    expire_after: str | None = None
    expire_before: str | None = None
    attempt_min: int | None = None
    attempt_max: int | None = None
    unique_key: str | None = None
    batch_id: str | None = None
    worker_id: str | None = None
    parent_id: str | None = None
    chain_id: str | None = None
    has_errors: bool | None = None
    error_contains: str | None = None
    failure: str | None = None
    job_id_prefix: str | None = None
    sort: str | None = None
    order: str | None = None
    cursor: str | None = None
    limit: int | None = None

    def query(self, queue_prefix: str | None = None) -> Query:
        """Checked, and confined to a namespace if the caller has one. Raises ValidationFailed."""
        # Empty texts come from forms in which nothing was filled in.
        same: dict[str, Any] = {
            name: value for name in _ALIKE if (value := getattr(self, name)) not in (None, "")
        }
        return Query(
            **same,
            queue_prefix=queue_prefix or None,
            states=_states(self.state),
            priority=_priority(self.priority),
            tags=self.tags or {},
            created=self._range("created"),
            scheduled=self._range("scheduled"),
            started=self._range("started"),
            completed=self._range("completed"),
            expire=self._range("expire"),
            sort=_sort(self.sort),
            descending=self.order != "asc",
            limit=LIMIT_DEFAULT if self.limit is None else self.limit,
        )

    def _range(self, name: str) -> Range:
        return Range(self._time(f"{name}_after"), self._time(f"{name}_before"))

    def _time(self, name: str) -> int | None:
        text = getattr(self, name)
        return None if not text else parse_time_ns(text, name)


def _states(given: list[str] | str | None) -> tuple[JobState, ...]:
    if not given:
        return ()
    labels = [given] if isinstance(given, str) else given
    for label in labels:
        if label not in BY_LABEL:
            raise ValidationFailed(f"state: {label[:40]!r} is none of {', '.join(BY_LABEL)}")
    return tuple(sorted({BY_LABEL[label] for label in labels}))


def _priority(given: str | int | None) -> Priority | None:
    if given is None or given == "":
        return None
    if isinstance(given, str) and given in _PRIORITIES:
        return _PRIORITIES[given]
    if given in list(Priority):
        return Priority(given)
    raise ValidationFailed(f"priority: {str(given)[:40]!r} is none of critical, high, normal")


def _sort(given: str | None) -> Sort:
    if not given:
        return Sort.CREATED_AT
    try:
        return Sort(given)
    except ValueError:
        names = ", ".join(sort.value for sort in Sort)
        raise ValidationFailed(f"sort: {given[:40]!r} is none of {names}") from None
