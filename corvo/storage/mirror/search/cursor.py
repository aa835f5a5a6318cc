"""Where the next page of a search begins: after the last row of this one, whatever has changed since.

A cursor belongs to one search, to its filters and its order; it is refused by any other. Clients must
not look inside.
"""

import binascii
from base64 import b64decode, urlsafe_b64encode
from typing import Annotated, Final

import msgspec

from corvo.core.errors import ValidationFailed
from corvo.storage.mirror.search.query import Query

_VERSION: Final = 1
_CHARS_MAX: Final = 200

#: What SQLite takes for an integer.
_Int64 = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    version: int
    digest: bytes
    #: The last row: what it was sorted by, None if it has no such value, and its place.
    value: _Int64 | None
    place: _Int64
    #: What the first page found out, so that later ones need not count again.
    total: _Int64
    total_is_estimate: bool


_decoder: Final = msgspec.msgpack.Decoder(Cursor)


def encode(query: Query, value: int | None, place: int, *, total: int, is_estimate: bool) -> str:
    cursor = Cursor(_VERSION, query.digest(), value, place, total, is_estimate)
    return urlsafe_b64encode(msgspec.msgpack.encode(cursor)).decode().rstrip("=")


def decode(query: Query) -> Cursor | None:
    """The cursor of a query, if it has one that fits."""
    if query.cursor is None:
        return None
    refusal = ValidationFailed("cursor: it does not belong to this search; start again without it")
    if len(query.cursor) > _CHARS_MAX:
        raise refusal
    try:
        padded = query.cursor + "=" * (-len(query.cursor) % 4)
        cursor = _decoder.decode(b64decode(padded, b"-_", validate=True))
    except (ValueError, binascii.Error):
        raise refusal from None  # msgspec's errors are ValueErrors, too.
    if cursor.version != _VERSION or cursor.digest != query.digest():
        raise refusal
    return cursor
