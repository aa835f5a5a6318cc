"""A request and a response, the same for both lanes of the edge."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec

from corvo.core.errors import ValidationFailed

#: Name and value, both lower-level bytes: what ASGI speaks.
Headers = list[tuple[bytes, bytes]]


class ClientGone(Exception):
    """The client hung up before its request was complete."""


class Request(msgspec.Struct):
    """What a handler sees of a request."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[bytes, bytes]
    body: bytes
    #: Values of the `{names}` in the route's path.
    params: dict[str, str]
    started_ns: int
    #: The address of whoever is at the other end of the connection.
    peer: str = ""
    #: Resolves when the client has hung up; None where nobody can tell.
    gone: Callable[[], Awaitable[Any]] | None = None
    #: The last entry this node had applied when a read began.
    applied_index: int | None = None
    #: Instead of a body: pieces as they come. Only for routes that are `duplex`.
    incoming: AsyncIterator[bytes] | None = None

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def int_query(self, name: str, default: int, *, least: int, most: int) -> int:
        """A whole number from the query; out of bounds is brought to the nearest bound."""
        text = self.query.get(name)
        if text is None or text == "":
            return default
        try:
            value = int(text)
        except ValueError:
            raise ValidationFailed(f"{name}: {text[:40]!r} is not a whole number") from None
        return min(max(value, least), most)


class Response(msgspec.Struct):
    """What a handler answers."""

    status: int
    body: bytes = b""
    content_type: bytes = b"application/json"
    #: The log entry a write was applied by; shown as X-Corvo-Index.
    index: int | None = None
    headers: Headers = []
    #: Instead of a body: pieces sent as they come.
    stream: AsyncIterator[bytes] | None = None
