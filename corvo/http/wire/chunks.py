"""Chunks: a body of unknown length, as HTTP/1.1 sends it, taken apart as it comes."""

import re
from typing import Final

_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")
#: The longest line between chunks, and all lines behind the last one.
_LINE_BYTES_MAX: Final = 1_024
_TRAILER_BYTES_MAX: Final = 8 * 1024


class NotChunks(Exception):
    """The bytes are not what the head of the request has promised."""


class Chunks:
    def __init__(self) -> None:
        self._pending = bytearray()
        #: Bytes of the chunk being read that have not come yet.
        self._missing = 0
        self._is_behind_chunk = False
        self._is_behind_last = False
        self._trailer_bytes = 0
        self.is_complete = False

    def feed(self, data: bytes) -> list[bytes]:
        """What is new of the body."""
        pending = self._pending
        pending += data
        pieces: list[bytes] = []
        while pending and not self.is_complete:
            if self._missing:
                piece = bytes(pending[: self._missing])
                del pending[: self._missing]
                pieces.append(piece)
                self._missing -= len(piece)
                self._is_behind_chunk = not self._missing
                continue
            line = self._line()
            if line is None:
                break
            self._understand(line)
        if self.is_complete:
            # Whatever follows is not part of the body, and would stay here for ever.
            pending.clear()
        return pieces

    def _line(self) -> bytes | None:
        end = self._pending.find(b"\r\n")
        if end > _LINE_BYTES_MAX or (end < 0 and len(self._pending) > _LINE_BYTES_MAX):
            raise NotChunks("a line between chunks does not end")
        if end < 0:
            return None
        line = bytes(self._pending[:end])
        del self._pending[: end + 2]
        return line

    def _understand(self, line: bytes) -> None:
        if self._is_behind_chunk:
            self._is_behind_chunk = False
            if line:
                raise NotChunks("a chunk is longer than it says")
        elif self._is_behind_last:
            self._trailer_bytes += len(line)
            if self._trailer_bytes > _TRAILER_BYTES_MAX:
                raise NotChunks("the trailer does not end")
            self.is_complete = not line
        else:
            size = _SIZE.fullmatch(line)
            if size is None:
                raise NotChunks("a chunk does not say how long it is")
            self._missing = int(size[1], 16)
            self._is_behind_last = not self._missing
