"""A search as clients write it: the body of POST /jobs/search, and the filter of a bulk request.

Every member is explained in docs/reference/search.md.
"""

from typing import Any, Final

import msgspec

from corvo.core.errors import ValidationFailed
from corvo.core.namespace import Reach, namespace_in, qualified
from corvo.core.priority import Priority, priority_of
from corvo.core.states import BY_LABEL, JobState
from corvo.core.times import parse_time_ns
from corvo.storage.mirror.search.query import LIMIT_DEFAULT, RANGES, Query, Range, Sort


class SearchRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Filters, all of which must hold, an order, and a page."""

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
    group: str | None = None
    chain_id: str | None = None
    has_errors: bool | None = None
    error_contains: str | None = None
    failure: str | None = None
    job_id_prefix: str | None = None
    job_id_suffix: str | None = None
    sort: str | None = None
    order: str | None = None
    cursor: str | None = None
    limit: int | None = None

    def query(self, reach: Reach | None = None) -> Query:
        """Checked, and confined to what the caller may see. Raises ValidationFailed."""
        namespace = namespace_in(reach)
        # Empty texts come from forms in which nothing was filled in.
        same: dict[str, Any] = {
            name: value for name in _ALIKE if (value := getattr(self, name)) not in (None, "")
        }
        ranges: dict[str, Any] = {
            name: Range(self._time(f"{name}_after"), self._time(f"{name}_before")) for name in RANGES
        }
        return Query(
            **same,
            **ranges,
            reach=reach,
            queue=qualified(namespace, self.queue) if self.queue else None,
            worker_id=qualified(namespace, self.worker_id) if self.worker_id else None,
            states=_states(self.state),
            priority=_priority(self.priority),
            tags=self.tags or {},
            sort=_sort(self.sort),
            descending=_is_descending(self.order),
            limit=LIMIT_DEFAULT if self.limit is None else self.limit,
        )

    def _time(self, name: str) -> int | None:
        text = getattr(self, name)
        return None if not text else parse_time_ns(text, name)


#: Members that a query has under the same name and of the same type.
_ALIKE: Final = tuple(
    field.name
    for field in msgspec.structs.fields(SearchRequest)
    if (field.name, field.type) in {(own.name, own.type) for own in msgspec.structs.fields(Query)}
)


def _states(given: list[str] | str | None) -> tuple[JobState, ...]:
    if not given:
        return ()
    labels = [given] if isinstance(given, str) else given
    for label in labels:
        if label not in BY_LABEL:
            raise ValidationFailed(f"state: {label[:40]!r} is none of {', '.join(BY_LABEL)}")
    return tuple(sorted({BY_LABEL[label] for label in labels}))


def _priority(given: str | int | None) -> Priority | None:
    return None if given is None or given == "" else priority_of(given)


def _is_descending(given: str | None) -> bool:
    if given not in (None, "", "asc", "desc"):
        raise ValidationFailed(f"order: {given[:40]!r} is neither asc nor desc")
    return given != "asc"


def _sort(given: str | None) -> Sort:
    if not given:
        return Sort.CREATED_AT
    try:
        return Sort(given)
    except ValueError:
        names = ", ".join(sort.value for sort in Sort)
        raise ValidationFailed(f"sort: {given[:40]!r} is none of {names}") from None
