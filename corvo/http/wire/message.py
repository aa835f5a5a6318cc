"""A request and a response, the same for every way in. `request_of` is the only maker of requests.

wire, serve, edges --request_of--> Request -> handler -> Response -> wire, serve, edges
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from corvo.core.access.principal import NOBODY, Principal
from corvo.core.errors import ValidationFailed
from corvo.core.namespace import DEFAULT, Reach

#: Name and value, both bytes: what ASGI speaks.
Headers = list[tuple[bytes, bytes]]

#: Not done again: the answer to an earlier request with the same Idempotency-Key.
REPLAYED: Final = (b"idempotency-replayed", b"true")
#: The header of the last answer of a connection.
CLOSE: Final = (b"connection", b"close")


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
    #: The address of the client at the other end of the connection.
    peer: str = ""
    #: Resolves when the client has hung up; None where that cannot be known.
    gone: Callable[[], Awaitable[Any]] | None = None
    #: The last entry this node had applied when a read began.
    applied_index: int | None = None
    #: Instead of a body: pieces as they come. Only for routes that are `duplex`.
    incoming: AsyncIterator[bytes] | None = None
    #: Whether its connection takes one request after the other, so that an answer can be the last of it.
    is_http1: bool = True
    #: The query as it came.
    query_string: bytes = b""
    #: What the client should know although its request is answered: members that were ignored.
    warnings: list[str] = []
    #: The common name of the certificate that the client has shown and that was verified; empty if none. It
    #: is the connection's, so no header can claim it.
    certificate: str = ""
    #: The permission that its route needs.
    needs: str = ""
    # What access control has found out: who sends it, and what that one may touch.
    principal: Principal = NOBODY
    namespace: str = DEFAULT
    #: None for all queues of the default namespace.
    reach: Reach | None = None
    #: What it counts in the share of its namespace, while it is under way.
    share: int = 0
    #: What goes on record of it (serve/audit/note.py); None if it is not of a route that is audited.
    audit: Any = None

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    @property
    def is_strict(self) -> bool:
        """Whether the client would rather be refused than have a member of its body ignored."""
        preferred = self.headers.get(b"prefer", b"")
        return self.query.get("strict") in ("1", "true") or b"handling=strict" in preferred.lower()

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


def request_of(  # noqa: PLR0913 - a field of the request each
    method: str,
    path: str,
    query: bytes,
    headers: dict[bytes, bytes],
    body: bytes,
    params: dict[str, str],
    *,
    started_ns: int,
    peer: str,
    certificate: str = "",
    is_http1: bool = True,
    gone: Callable[[], Awaitable[Any]] | None = None,
    incoming: AsyncIterator[bytes] | None = None,
) -> Request:
    """A request from what was read of it, wherever that was."""
    return Request(
        method,
        path,
        read_query(query) if query else {},
        headers,
        body,
        params,
        started_ns,
        peer,
        gone,
        None,
        incoming,
        is_http1,
        query,
        [],
        certificate,
    )


def read_query(query: bytes) -> dict[str, str]:
    """Names and values. Of a name that is given twice, the first counts."""
    read: dict[str, str] = {}
    for name, value in parse_qsl(query.decode("utf-8", "replace"), keep_blank_values=True):
        read.setdefault(name, value)
    return read


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

    def close_after(self) -> None:
        """Make it the last answer of its connection."""
        if CLOSE not in self.headers:
            self.headers = [*self.headers, CLOSE]
