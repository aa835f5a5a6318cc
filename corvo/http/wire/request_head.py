"""The head of a plain HTTP/1.1 request, or none if it is anything but plain.

Plain means that every server would read it alike. Continuation lines, fields that come twice, requests to
upgrade or with an Expect: all of that is left to a whole HTTP server.
"""

import re
from typing import Any, Final, TypeAlias

import msgspec

_REQUEST_LINE: Final = re.compile(rb"(GET|POST|PUT|DELETE) (/[!-$&-~]*) HTTP/1\.1")
_FIELD_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_A_HEAD: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n")
_MORE_THAN_PLAIN: Final = (b"expect", b"upgrade", b"trailer", b"te")

#: Names as clients spell them, and as we look them up. Bounded, because clients choose them.
_NAMES_MAX: Final = 512
_LENGTH_DIGITS_MAX: Final = 12
_names: dict[bytes, bytes] = {}

#: The fields of a head, and how many bytes its body has; None if the body comes in chunks.
Fields: TypeAlias = tuple[dict[bytes, bytes], int | None]

#: Clients repeat themselves: whole heads as they came, or at least their fields, and what they mean. Bounded
#: in number and size, and forgotten as a whole: a client that never repeats a head costs hardly more.
_KNOWN_MAX: Final = 1_024
_KNOWN_BYTES_MAX: Final = 1_024
_heads: "dict[bytes, RequestHead]" = {}
_fields: dict[bytes, Fields] = {}


class RequestHead(msgspec.Struct, frozen=True, gc=False):
    method: str
    path: str
    query: bytes
    #: Not to be changed: other heads may share it.
    headers: dict[bytes, bytes]
    #: None if the body comes in chunks.
    body_bytes: int | None


def read_head(head: bytes) -> RequestHead | None:
    """The head, which ends with its last field's line end."""
    known = _heads.get(head)
    if known is not None:
        return known
    request_line, _, lines = head.partition(b"\r\n")
    match = _REQUEST_LINE.fullmatch(request_line)
    fields = _fields.get(lines) or _read_fields(lines)
    if match is None or fields is None:
        return None
    method, target = match.groups()
    path, _, query = target.partition(b"?")
    read = RequestHead(method.decode(), path.decode(), query, *fields)
    _remember(_heads, head, read)
    return read


def _read_fields(lines: bytes) -> Fields | None:
    if _NOT_IN_A_HEAD.search(lines) is not None:
        return None
    headers: dict[bytes, bytes] = {}
    for line in lines.split(b"\r\n"):
        spelled, colon, value = line.partition(b":")
        name = _names.get(spelled) or _new_name(spelled)
        if not colon or not name or name in headers:
            return None
        headers[name] = value.strip(b" \t")
    if not _is_plain(headers):
        return None
    announced = headers.get(b"content-length", b"0")
    fields = headers, None if b"transfer-encoding" in headers else int(announced)
    _remember(_fields, lines, fields)
    return fields


def _remember(known: dict[bytes, Any], text: bytes, meaning: object) -> None:
    if len(text) > _KNOWN_BYTES_MAX:
        return
    if len(known) >= _KNOWN_MAX:
        known.clear()
    known[text] = meaning


def _new_name(spelled: bytes) -> bytes:
    if _FIELD_NAME.fullmatch(spelled) is None:
        return b""
    name = spelled.lower()
    if len(_names) < _NAMES_MAX:
        _names[spelled] = name
    return name


def _is_plain(headers: dict[bytes, bytes]) -> bool:
    """Whether it is plain how long the body is, and what happens to the connection afterwards."""
    if b"host" not in headers or headers.get(b"connection", b"keep-alive").lower() != b"keep-alive":
        return False
    for name in _MORE_THAN_PLAIN:
        if name in headers:
            return False
    announced = headers.get(b"content-length")
    encoding = headers.get(b"transfer-encoding")
    if encoding is not None:
        return announced is None and encoding.lower() == b"chunked"
    return announced is None or (announced.isdigit() and len(announced) <= _LENGTH_DIGITS_MAX)
