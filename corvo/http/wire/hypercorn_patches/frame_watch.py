"""Frame watch: counts the frames of an HTTP/2 connection before they are read, and notices a flood.

    bytes -> [frame watch] -> parts with a few frames each
                           -> FloodNoticed

A frame without content takes ten bytes to send and a hundred microseconds to read, so a client that sends
nothing else keeps everybody waiting. Frames that a client needs now and then are allowed now and then. What
is left is read in parts, with others served in between.
"""

from collections.abc import Callable, Iterator
from typing import Final

_HEAD_BYTES: Final = 9
_PREFACE_BYTES: Final = 24
_DATA, _HEADERS, _RST_STREAM, _WINDOW_UPDATE = 0, 1, 3, 8
_END_STREAM: Final = 1

#: Frames read at once, and for how many of them a request counts.
_FRAMES_AT_ONCE: Final = 32
_FRAMES_PER_REQUEST: Final = 8
#: Pings, settings, resets, priorities, continuations and frames without content: at once, and per second.
_CONTROL_BURST: Final = 300
_CONTROL_PER_S: Final = 100
#: A request that is given up has cost much more than its reset.
_RESET_COST: Final = 4
#: Window updates: likewise, and so many more for each piece that the client is sent.
_UPDATES_BURST: Final = 1_000
_UPDATES_PER_S: Final = 200
UPDATES_PER_PIECE: Final = 4
#: A piece of a body with fewer bytes is a fraction of a frame without content.
_TINY_BYTES: Final = 16
_TINY_COST: Final = 0.2


class FloodNoticed(Exception):
    """The client sends frames that have no other use than to keep the server busy."""


class FrameWatch:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._at = now()
        self._control: float = _CONTROL_BURST
        self._updates: float = _UPDATES_BURST
        #: What is still to come of the frame that was looked at last; at first, the greeting.
        self._rest = _PREFACE_BYTES
        #: The beginning of a frame whose head is not complete.
        self._head = b""

    def sent_a_piece(self) -> None:
        self._updates = min(self._updates + UPDATES_PER_PIECE, 10 * _UPDATES_BURST)

    def parts(self, data: bytes) -> Iterator[bytes]:
        """The data in parts, each to be read at once. Raises FloodNoticed."""
        self._refill()
        # `at` is where the next frame begins; `begin`, where what was not handed out yet does.
        at, begin, frames = self._rest, len(self._head), 0
        data = self._head + data
        while at + _HEAD_BYTES <= len(data):
            size = int.from_bytes(data[at : at + 3], "big")
            kind = data[at + 3]
            self._charge(kind, size, data[at + 4])
            at += _HEAD_BYTES + size
            frames += _FRAMES_PER_REQUEST if kind == _HEADERS else 1
            if frames >= _FRAMES_AT_ONCE and at < len(data):
                yield data[begin:at]
                begin, frames = at, 0
        if begin < len(data):
            yield data[begin:]
        self._head = data[at:] if at < len(data) else b""
        self._rest = max(0, at - len(data))

    def _charge(self, kind: int, size: int, flags: int) -> None:
        if kind == _DATA:
            if size >= _TINY_BYTES or flags & _END_STREAM:
                return
            self._control -= _TINY_COST if size else 1
        elif kind == _WINDOW_UPDATE:
            self._updates -= 1
        elif kind == _RST_STREAM:
            self._control -= _RESET_COST
        elif kind != _HEADERS:
            self._control -= 1
        if self._control < 0 or self._updates < 0:
            raise FloodNoticed

    def _refill(self) -> None:
        now = self._now()
        passed_s, self._at = now - self._at, now
        self._control = min(_CONTROL_BURST, self._control + passed_s * _CONTROL_PER_S)
        if self._updates < _UPDATES_BURST:
            self._updates = min(_UPDATES_BURST, self._updates + passed_s * _UPDATES_PER_S)
