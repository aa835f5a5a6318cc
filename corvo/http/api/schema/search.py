"""Bodies of the searches (docs/reference/search.md)."""

import msgspec
from msgspec import UNSET, UnsetType

from corvo.actors.mirror.messages import FullTextFound, Hit, SearchPage
from corvo.core.namespace import name_of
from corvo.core.times import format_time_ns
from corvo.http.api.schema.job import JobBody, job_body

_encode = msgspec.json.Encoder().encode


class SearchBody(msgspec.Struct, omit_defaults=True):
    jobs: list[JobBody]
    total: int
    has_more: bool
    duration_ms: float
    #: True if there are more than `total`: jobs beyond 10,000 are not counted.
    total_is_estimate: bool | UnsetType = UNSET
    cursor: str | UnsetType = UNSET
    #: Queues whose payloads and errors are sealed, so that the filters did not look into them.
    unsearchable: list[str] | UnsetType = UNSET


def search_body(page: SearchPage, duration_ms: float, unsearchable: list[str]) -> SearchBody:
    return SearchBody(
        jobs=[summary(hit) for hit in page.hits],
        total=page.total,
        has_more=page.has_more,
        duration_ms=duration_ms,
        total_is_estimate=page.total_is_estimate or UNSET,
        cursor=page.cursor or UNSET,
        unsearchable=unsearchable or UNSET,
    )


def summary(hit: Hit) -> JobBody:
    """A job without what may be large and is seldom wanted in a list."""
    body = job_body(hit.job, hit.payload.encode())
    body.result = body.checkpoint = body.chain_config = UNSET
    return body


class FoundBody(msgspec.Struct):
    id: str
    queue: str
    state: str
    #: JSON as text, as are the tags: older clients expect it so.
    payload: str
    tags: str
    created_at: str


class FullTextBody(msgspec.Struct, omit_defaults=True):
    q: str
    results: list[FoundBody]
    #: Queues whose payloads are sealed; of their jobs only ids, tags and the queue's name were searched.
    unsearchable: list[str] | UnsetType = UNSET


def full_text_body(q: str, found: FullTextFound, unsearchable: list[str]) -> FullTextBody:
    return FullTextBody(q, [_found_body(hit) for hit in found.hits], unsearchable or UNSET)


def _found_body(hit: Hit) -> FoundBody:
    job = hit.job
    return FoundBody(
        id=job.id,
        queue=name_of(job.queue),
        state=job.state.label,
        payload=hit.payload,
        tags=_encode(job.tags or {}).decode(),
        created_at=format_time_ns(job.created_ns),
    )
