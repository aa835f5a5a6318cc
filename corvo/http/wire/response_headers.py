"""Response headers: pairs for ASGI, or the lines that FastHttp1 and DuplexHttp1 write.

Nearly all answers have the same fields and differ in three numbers: how long it took, how long the body is,
and which entry it speaks of. What they have in common is put together once.
"""

from typing import Final, NamedTuple, TypeAlias

from corvo.http.wire.message import Headers, Response

_ALLOW_METHODS: Final = b"GET, POST, PUT, DELETE, OPTIONS"
_ALLOW_HEADERS: Final = (
    b"Content-Type, Authorization, X-API-Key, X-Corvo-Namespace, Last-Event-ID, X-Corvo-Lease-Token, "
    b"Idempotency-Key, X-Corvo-Min-Index, X-Corvo-Direct"
)
_EXPOSE_HEADERS: Final = b"X-Corvo-Index, Server-Timing, Retry-After, Idempotency-Replayed"


#: Of every answer: a browser takes it for what its content type says, and shows it in no frame.
_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
#: Of every page: nothing but our own files, no inline script, no inline style, no frame around it.
_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
)
_OF_PAGES: Final = (
    (b"content-security-policy", _POLICY),
    (b"referrer-policy", b"no-referrer"),
)
#: Of pages and of what they are made from: no other site may use it as its own.
_OF_FILES: Final = ((b"cross-origin-resource-policy", b"same-origin"),)
_FILES: Final = (b"text/html", b"text/javascript", b"text/css", b"image/", b"font/")

#: What decides which fields an answer has: its content type if it has a body, whether that has a length,
#: whether there is an index, and the origin of the page that asks, if pages of that origin may.
_Kind: TypeAlias = tuple[bytes | None, bool, bool, bytes | None]


class _Shape(NamedTuple):
    """The fields of one kind of answer; a value with a place for a number says so."""

    fields: list[tuple[bytes, bytes, bool]]
    lines: bytes


class ResponseHeaders:
    def __init__(self, origins: list[str]) -> None:
        """Pages of these origins may read answers; `*` alone stands for all, without credentials."""
        self._takes_all = origins == ["*"]
        self._origins = frozenset(origin.lower().encode() for origin in origins)
        self._shapes: dict[_Kind, _Shape] = {}

    def pairs(self, response: Response, request_headers: dict[bytes, bytes], duration_ms: float) -> Headers:
        shape, numbers = self._shape(response, request_headers, duration_ms)
        rest = iter(numbers)
        pairs = [(name, value % next(rest) if varies else value) for name, value, varies in shape.fields]
        return pairs + response.headers

    def lines(self, response: Response, request_headers: dict[bytes, bytes], duration_ms: float) -> bytes:
        """The fields as lines, each with its line end."""
        shape, numbers = self._shape(response, request_headers, duration_ms)
        lines = shape.lines % numbers
        return lines + spell(response.headers) if response.headers else lines

    def _shape(
        self, response: Response, request_headers: dict[bytes, bytes], duration_ms: float
    ) -> tuple[_Shape, tuple[float, ...]]:
        """The fields of this kind of answer, and the numbers that go into them, in order."""
        has_body = response.status != 204
        has_length = has_body and response.stream is None
        index = response.index
        kind = (
            response.content_type if has_body else None,
            has_length,
            index is not None,
            self._allowed(request_headers) if self._origins else None,
        )
        shape = self._shapes.get(kind)
        if shape is None:
            shape = self._shapes[kind] = self._make(kind)
        numbers: tuple[float, ...]
        if has_length:
            size = len(response.body)
            numbers = (duration_ms, size) if index is None else (duration_ms, size, index)
        else:
            numbers = (duration_ms,) if index is None else (duration_ms, index)
        return shape, numbers

    def _allowed(self, request_headers: dict[bytes, bytes]) -> bytes | None:
        """What the answer calls the origin that asks, if it may."""
        origin = request_headers.get(b"origin")
        if origin is None:
            return None
        if self._takes_all:
            return b"*"
        return origin if origin in self._origins else None

    def _make(self, kind: _Kind) -> _Shape:
        content_type, has_length, has_index, origin = kind
        fields = [(b"server-timing", b"proc;dur=%.3f", True)]
        if content_type is not None:
            fields.append((b"content-type", content_type, False))
        if has_length:
            fields.append((b"content-length", b"%d", True))
        if has_index:
            fields.append((b"x-corvo-index", b"%d", True))
        plain = [*_ALWAYS]
        if content_type is not None and content_type.startswith(b"text/html"):
            plain += _OF_PAGES
        if content_type is not None and content_type.startswith(_FILES):
            plain += _OF_FILES
        if self._origins and not self._takes_all:
            plain.append((b"vary", b"origin"))
        if origin is not None:
            plain.append((b"access-control-allow-origin", origin))
            if not self._takes_all:
                plain.append((b"access-control-allow-credentials", b"true"))
            plain.append((b"access-control-allow-methods", _ALLOW_METHODS))
            plain.append((b"access-control-allow-headers", _ALLOW_HEADERS))
            plain.append((b"access-control-expose-headers", _EXPOSE_HEADERS))
        fields += [(name, value, False) for name, value in plain]
        lines = [(name, value if varies else value.replace(b"%", b"%%")) for name, value, varies in fields]
        return _Shape(fields, spell(lines))


def spell(headers: Headers) -> bytes:
    """As lines, each with its end."""
    return b"".join([b"%b: %b\r\n" % field for field in headers])
