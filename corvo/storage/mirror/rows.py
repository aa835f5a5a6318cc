"""From a job document to its row in the mirror. Change SCHEMA_VERSION with anything that changes a row."""

import re
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from corvo.core.failures import failure_of
from corvo.core.job import Job, encode
from corvo.core.sealing.form import as_text, is_sealed
from corvo.core.states import JobState

#: States of jobs whose last attempt failed.
FAILED: Final = (JobState.RETRYING, JobState.DEAD)


class Row(NamedTuple):
    """A row of `jobs`: its columns, in the order of writing. What a job may lack comes last."""

    #: When it was created; also its place in the table.
    place: int
    id: str
    queue: str
    state: int
    priority: int
    attempt: int
    error_count: int
    document: bytearray
    scheduled_ns: int | None
    started_ns: int | None
    completed_ns: int | None
    failed_ns: int | None
    expire_ns: int | None
    unique_key: str | None
    batch_id: str | None
    worker_id: str | None
    parent_id: str | None
    group_label: str | None
    chain_id: str | None
    failure: str | None


COLUMNS: Final = Row._fields
OPTIONAL: Final = tuple(name for name, kind in get_type_hints(Row).items() if NoneType in get_args(kind))
ALWAYS: Final = COLUMNS[: -len(OPTIONAL)]
#: A job keeps its place and id for life, so an upsert leaves them alone.
CHANGING: Final = COLUMNS[2:]

#: Place, payload, tags.
TextRow: TypeAlias = tuple[int, str, str | None]

_encode_json = msgspec.json.Encoder().encode


def row_of(job: Job) -> tuple[Any, ...]:
    """The values of a Row, in its order. A plain tuple, because naming each value would double the time."""
    flow = job.flow
    lease = job.lease
    unique = job.unique
    return (
        job.created_ns,
        job.id,
        job.queue,
        # sqlite3 knows plain numbers; for an enumeration it goes looking for an adapter each time.
        int(job.state),
        int(job.priority),
        job.attempt,
        job.error_count,
        # For bytes it would look for an adapter, too; a bytearray it knows.
        bytearray(encode(replace(job, payload=None))),
        job.scheduled_ns,
        job.started_ns,
        job.completed_ns,
        job.failed_ns,
        job.expire_ns,
        None if unique is None else unique.key,
        None if flow is None else flow.batch_id,
        None if lease is None else lease.worker_id,
        job.parent_id,
        job.group,
        None if flow is None else flow.chain_id,
        None if job.failed_ns is None or job.state not in FAILED else failure_of(job.last_error or ""),
    )


def tags_of(job: Job) -> str | None:
    return None if not job.tags else _encode_json(job.tags).decode()


# Payloads. Clients may spell one string in many ways: "é", "\u00e9" and "\u00E9" are the same JSON.
# SQLite compares keys as they are spelled, and people search for what they see, so the mirror has one
# spelling: escapes only where JSON demands them. The meaning is untouched, and so are numbers.

_ESCAPE: Final = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)
_SHORT: Final = {
    0x08: "\\b",
    0x09: "\\t",
    0x0A: "\\n",
    0x0C: "\\f",
    0x0D: "\\r",
    0x22: '\\"',
    0x5C: "\\\\",
}


def text_of(payload: bytes) -> str:
    """JSON bytes as text in the mirror's spelling. A sealed payload is no JSON, and no search looks at it."""
    if is_sealed(payload):
        return as_text(payload)
    text = payload.decode(errors="replace")
    return _ESCAPE.sub(_respell, text) if "\\" in text else text


def spelled(text: str) -> str:
    """A string as it stands, between its quotes, in a payload of the mirror."""
    return text_of(_encode_json(text))[1:-1]


def _respell(match: re.Match[str]) -> str:
    high, low, unit, other = match.groups()
    if other is not None:
        return "/" if other == "/" else match[0]
    if high is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    code = int(unit, 16)
    if code in _SHORT:
        return _SHORT[code]
    if code < 0x20 or 0xD800 <= code < 0xE000:
        # A control character must stay escaped, and half a pair is no character at all.
        return f"\\u{code:04x}"
    return chr(code)
