"""What a producer may say of a job, in Python's words, and how it is written on the wire."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict, Unpack

from corvo_sdk import tracing
from corvo_sdk.durations import Duration, as_text, as_time

Priority = Literal["critical", "high", "normal", "low"]


class JobOptions(TypedDict, total=False):
    """Everything but queue and payload. All are optional."""

    priority: Priority
    #: Not before this long from now, or not before this time.
    delay: Duration
    at: datetime | str
    #: Only one job with this key may be alive in its queue.
    unique_key: str
    unique_period: int
    unique_until: Literal["success", "start", "ttl"]
    #: How often it is tried at most, the first time included.
    max_retries: int
    retry_backoff: Literal["none", "fixed", "linear", "exponential"]
    retry_base_delay: Duration
    retry_max_delay: Duration
    #: 0 to 1: how much the delay may vary, so that many failures do not come back at once.
    retry_jitter: float
    expire_after: Duration
    tags: Mapping[str, str]
    checkpoint: Any
    parent_id: str
    group: str
    batch_id: str
    #: Ids of jobs that must complete first.
    depends_on: Sequence[str]
    on_dependency_failure: str
    allow_missing: bool


_DURATIONS = ("delay", "retry_base_delay", "retry_max_delay", "expire_after")


def new_job(queue: str, payload: Any = None, **options: Unpack[JobOptions]) -> dict[str, Any]:
    """One job for `enqueue_many`."""
    body: dict[str, Any] = {"queue": queue, **options}
    if payload is not None:
        body["payload"] = payload
    if "at" in body:
        body["scheduled_at"] = as_time(body.pop("at"))
    for name in _DURATIONS:
        if name in body:
            body[name] = as_text(body[name])
    tags = tracing.carry(body.get("tags"))
    if tags:
        body["tags"] = tags
    return body


def chained(steps: Sequence[tuple[str, Any]], handlers: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a job that starts a chain. The first step is the job itself."""
    if len(steps) < 2:
        raise ValueError("a chain has at least two steps")
    chain: dict[str, Any] = {
        "steps": [{"queue": queue} | ({} if body is None else {"payload": body}) for queue, body in steps]
    }
    for name, handler in handlers.items():
        if handler is not None:
            chain[name] = {"queue": handler} if isinstance(handler, str) else handler
    return chain
