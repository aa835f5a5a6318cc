"""Frames: what an edge process and its node say to each other, as msgpack arrays, each behind its length.

    edge process                             node
        Request   a request, with what is here of its body
        Body      more of the body      -->
        Taken     so much was sent on   -->
        Gone      the client hung up    -->
                                        <--  Response  status, headers, what is here of the body
                                        <--  Body      more of it
                                        <--  Taken     so much was read by the handler
                                        <--  Gone      the handler failed: break the connection
        Ready     it accepts requests   -->
                                        <--  Start     how to serve; the first frame
                                        <--  Reload    read the files of certificates again
                                        <--  Stop      finish what is under way, then end

The sender of a body keeps at most `WINDOW_BYTES` of it on the way that were not reported as taken, so one
slow client holds up neither the link nor other clients, and what lies in buffers is bounded.
"""

import struct
from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

#: Pieces of one body that may be on the way in one direction.
WINDOW_BYTES: Final = 256 * 1024

_LENGTH: Final = struct.Struct("<I")

Header = tuple[bytes, bytes]
#: Method and path.
RouteName = tuple[str, str]


class RequestFrame(msgspec.Struct, tag=1, array_like=True):
    number: int
    kind: Literal["http", "websocket"]
    http_version: str
    method: str
    path: str
    raw_path: bytes
    query: bytes
    headers: list[Header]
    body: bytes
    more: bool
    #: The address of the client, and the name in its certificate if it has shown one.
    peer: str
    certificate: str = ""


class ResponseFrame(msgspec.Struct, tag=2, array_like=True):
    number: int
    status: int
    headers: list[Header]
    body: bytes
    more: bool


class BodyFrame(msgspec.Struct, tag=3, array_like=True):
    number: int
    body: bytes
    more: bool


class TakenFrame(msgspec.Struct, tag=4, array_like=True):
    number: int
    size: int


class GoneFrame(msgspec.Struct, tag=5, array_like=True):
    number: int


class StartFrame(msgspec.Struct, tag=6, array_like=True):
    #: Those settings of the node that an edge process needs, by name; no secrets.
    settings: dict[str, Any]
    #: Hot routes whose bodies are whole.
    hot: list[RouteName]


class ReadyFrame(msgspec.Struct, tag=7, array_like=True):
    loop: str


class StopFrame(msgspec.Struct, tag=8, array_like=True):
    pass


class ReloadFrame(msgspec.Struct, tag=9, array_like=True):
    pass


Frame = (
    RequestFrame
    | ResponseFrame
    | BodyFrame
    | TakenFrame
    | GoneFrame
    | StartFrame
    | ReadyFrame
    | StopFrame
    | ReloadFrame
)

_encode_into = msgspec.msgpack.Encoder().encode_into
_decode = msgspec.msgpack.Decoder(Frame).decode


def append(frame: Frame, out: bytearray) -> None:
    """Encode it at the end of what is to be written."""
    start = len(out)
    out += bytes(_LENGTH.size)
    _encode_into(frame, out, start + _LENGTH.size)
    _LENGTH.pack_into(out, start, len(out) - start - _LENGTH.size)


class EdgeFrameReader:
    """Bytes as they come, frames as they are complete."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        if self._rest:
            # Grows in place: a large frame in small pieces must not be copied with each of them.
            self._rest += data
            used = yield from _frames(self._rest)
            del self._rest[:used]
        else:
            used = yield from _frames(data)
            self._rest += memoryview(data)[used:]


def _frames(data: bytes | bytearray) -> Any:
    """Yields frames; returns how many bytes they took."""
    at = 0
    with memoryview(data) as view:
        while len(view) - at >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(view, at)
            end = at + _LENGTH.size + size
            if end > len(view):
                break
            with view[at + _LENGTH.size : end] as body:
                frame = _decode(body)
            yield frame
            at = end
    return at
