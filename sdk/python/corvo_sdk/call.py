"""One request, described: what is sent, how the answer is read, and whether it may be sent again."""

import sys
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec

T = TypeVar("T")

_LEVELS_MORE = 500


class Again(Enum):
    """What a second sending of the same request would do, if the first arrived after all."""

    #: Nothing: it only reads, or it says what was said before.
    HARMLESS = auto()
    #: Nothing, thanks to an Idempotency-Key sent along.
    KEYED = auto()
    #: Harm, or nobody knows: only repeat what certainly was not done.
    NEVER = auto()


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    method: str
    path: str
    #: The type of the answer, for msgspec.
    returns: type[T]
    body: Any = None
    query: dict[str, str] = field(default_factory=dict)
    again: Again = Again.HARMLESS
    #: A key of the caller's own, for writes that must happen once across restarts of the caller.
    key: str | None = None
    #: On top of the client's timeout: how long the server is asked to wait.
    wait_s: float = 0.0
    #: For an answer that does not end: how long it may be silent.
    silence_s: float = 0.0
    #: Whether an unavailable server is asked again; a worker's loops have their own patience.
    patient: bool = True


def path(*parts: str) -> str:
    """`path("jobs", id, "retry")`: under the API's root, with whatever a name holds made harmless."""
    return "/api/v1/" + "/".join(quote(part, safe="") for part in parts)


def read(method: str, target: str, returns: type[T], **query: Any) -> Call[T]:
    given = {name: _text(value) for name, value in query.items() if value is not None}
    return Call(method, target, returns, query=given)


def write(
    method: str, target: str, returns: type[T], body: Any = None, *, key: str | None = None, **query: Any
) -> Call[T]:
    given = {name: _text(value) for name, value in query.items() if value is not None}
    return Call(method, target, returns, body, given, Again.KEYED, key)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def encode(body: Any) -> bytes:
    """JSON of whatever people put into payloads: dataclasses, datetimes, UUIDs, Decimals, Structs."""
    return b"" if body is None else msgspec.json.encode(body)


def decode(data: bytes, returns: type[T]) -> T:
    """An empty answer counts as an empty object."""
    try:
        return msgspec.json.decode(data or b"{}", type=returns)
    except RecursionError:
        # What the server could read is one or two levels deeper in its answer.
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + _LEVELS_MORE)
        try:
            return msgspec.json.decode(data or b"{}", type=returns)
        finally:
            sys.setrecursionlimit(before)
