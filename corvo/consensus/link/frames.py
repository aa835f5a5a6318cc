"""Frames on a byte stream: a length, then that many bytes.

    codec -> [frames] -> socket

The length is checked before a byte of the body is kept, so a stranger cannot make a node hold more than
a greeting, nor a member more than the largest message.
"""

from struct import Struct
from typing import Final

_LENGTH = Struct(">I")
#: Above this, length and body are written one after the other rather than copied into one.
_COPY_BYTES_MAX: Final = 64 * 1024


class FrameTooLarge(Exception):
    """The other side announces more than it may send."""


def pieces(body: bytes) -> tuple[bytes, ...]:
    """What to write for this body."""
    length = _LENGTH.pack(len(body))
    if len(body) <= _COPY_BYTES_MAX:
        return (length + body,)
    return (length, body)


class LinkFrameReader:
    """Bytes in as they come, whole frames out."""

    def __init__(self, bytes_max: int) -> None:
        #: Raised once the other side is known.
        self.bytes_max = bytes_max
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next(self) -> bytes | None:
        """The next whole frame, or None until more has come. Raises FrameTooLarge."""
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > self.bytes_max:
            raise FrameTooLarge(f"a frame of {length} bytes; the limit is {self.bytes_max}")
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        frame = bytes(memoryview(self._buffer)[_LENGTH.size : end])
        del self._buffer[:end]
        return frame
