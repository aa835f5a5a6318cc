"""What can be asked of the mirror: every filter and sort, checked (docs/reference/search.md)."""

import enum
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

import msgspec

from corvo.core.errors import ValidationFailed
from corvo.core.namespace import Qualified, Reach
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.storage.mirror.search import jq

LIMIT_DEFAULT: Final = 50
LIMIT_MAX: Final = 1_000
#: SQLite refuses patterns of more than 50,000 bytes, and escaping may double them.
TEXT_CHARS_MAX: Final = 4_096
#: Of a text that is looked for in payloads. It is compared at every place of each, and while SQLite is at one
#: payload nothing can interrupt it: the longer the text, the longer a search goes on beyond its time.
CONTAINED_CHARS_MAX: Final = 256
TAGS_MAX: Final = 64
#: What a 64-bit integer holds: times in nanoseconds fit until the year 2262.
_INT_MAX: Final = (1 << 63) - 1


class Sort(enum.Enum):
    CREATED_AT = "created_at"
    PRIORITY = "priority"
    STARTED_AT = "started_at"
    COMPLETED_AT = "completed_at"
    ATTEMPT = "attempt"
    FAILED_AT = "failed_at"
    SCHEDULED_AT = "scheduled_at"


class Range(msgspec.Struct, frozen=True):
    """Times strictly between two others. A job without the time is in no range."""

    after_ns: int | None = None
    before_ns: int | None = None

    def __bool__(self) -> bool:
        return self.after_ns is not None or self.before_ns is not None


_EVER: Final = Range()


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """Filters, all of which must hold, and an order. Raises ValidationFailed if one of them is not valid."""

    queue: Qualified | None = None
    #: What the caller may see.
    reach: Reach | None = None
    #: Any of these; none given means all.
    states: tuple[JobState, ...] = ()
    priority: Priority | None = None
    tags: dict[str, str] = {}
    payload_contains: str | None = None
    payload_jq: str | None = None
    created: Range = _EVER
    scheduled: Range = _EVER
    started: Range = _EVER
    completed: Range = _EVER
    expire: Range = _EVER
    attempt_min: int | None = None
    attempt_max: int | None = None
    unique_key: str | None = None
    batch_id: str | None = None
    worker_id: Qualified | None = None
    parent_id: str | None = None
    group: str | None = None
    chain_id: str | None = None
    has_errors: bool | None = None
    error_contains: str | None = None
    #: What the last error of a dead or retrying job has in common with others: core/failures.py.
    failure: str | None = None
    job_id_prefix: str | None = None
    #: How its id ends, as people read it from a table.
    job_id_suffix: str | None = None
    sort: Sort = Sort.CREATED_AT
    descending: bool = True
    cursor: str | None = None
    limit: int = LIMIT_DEFAULT

    def __post_init__(self) -> None:
        for name, text in self._texts():
            if len(text) > TEXT_CHARS_MAX:
                raise ValidationFailed(f"{name}: longer than {TEXT_CHARS_MAX} characters")
            if name == "payload_contains" and len(text) > CONTAINED_CHARS_MAX:
                raise ValidationFailed(
                    f"{name}: longer than {CONTAINED_CHARS_MAX} characters. Search for a part of it."
                )
            if "\0" in text or not _is_utf8(text):
                raise ValidationFailed(f"{name}: holds a character that no text can hold")
        if len(self.tags) > TAGS_MAX:
            raise ValidationFailed(f"tags: more than {TAGS_MAX} of them")
        for name, number in self._numbers():
            if not -_INT_MAX <= number <= _INT_MAX:
                raise ValidationFailed(f"{name}: {number} is out of range")
        if self.payload_jq is not None:
            jq.parse(self.payload_jq)

    @property
    def page_size(self) -> int:
        """The limit, brought into its bounds."""
        return min(max(self.limit, 1), LIMIT_MAX)

    def is_counted(self) -> bool:
        """Whether the queues' own counters say how many match: it asks for queue and states alone."""
        plain = Query(
            queue=self.queue,
            reach=self.reach,
            states=self.states,
            sort=self.sort,
            descending=self.descending,
            cursor=self.cursor,
            limit=self.limit,
        )
        return self == plain

    def digest(self) -> bytes:
        """Tells this search from any other; the same for all of its pages."""
        return blake2b(_encode(msgspec.structs.replace(self, cursor=None, limit=0)), digest_size=8).digest()

    def _texts(self) -> Iterator[tuple[str, str]]:
        for name in _TEXTS:
            text = getattr(self, name)
            if text is not None:
                yield name, text
        for key, value in self.tags.items():
            yield "tags", key
            yield "tags", value

    def _numbers(self) -> Iterator[tuple[str, int]]:
        for name in ("attempt_min", "attempt_max", "limit"):
            number = getattr(self, name)
            if number is not None:
                yield name, number
        for name in RANGES:
            times: Range = getattr(self, name)
            if times.after_ns is not None:
                yield f"{name}_after", times.after_ns
            if times.before_ns is not None:
                yield f"{name}_before", times.before_ns


_encode: Final = msgspec.msgpack.Encoder(order="deterministic").encode

_TEXTS: Final = tuple(
    field.name for field in msgspec.structs.fields(Query) if field.type in (str | None, Qualified | None)
)
#: Filters on times. Clients give each as two members, `_after` and `_before`.
RANGES: Final = tuple(field.name for field in msgspec.structs.fields(Query) if field.type is Range)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
