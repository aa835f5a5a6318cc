"""The leader's end of a snapshot: the state machine's chunks, numbered and summed.

    state machine -> [snapshot out] -> link ~~~ link -> snapshot in -> state machine

Chunks are pulled when the follower has room for them, never faster. Each carries its number and the
checksum of everything so far, so a chunk that went missing is always noticed. Those that are not
acknowledged are kept, a few at most; if the connection is lost the transfer goes on with them on the next.
"""

import zlib
from collections import deque
from collections.abc import Iterator
from typing import Final

from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.settings import CHUNK_BYTES_MAX

#: Chunks on the way and not yet acknowledged.
CHUNKS_IN_FLIGHT_MAX: Final = 4


class OutgoingSnapshot:
    def __init__(self, number: int, chunks: Iterator[bytes], *, floor_index: int) -> None:
        #: Tells the chunks of this transfer from those of one that was broken off.
        self.number = number
        #: The snapshot stands here or later, so the log must be kept from here on.
        self.floor_index = floor_index
        self._chunks = chunks
        self._next = 0
        self._checksum = 0
        self._is_complete = False
        #: Chunks that are not acknowledged, oldest first, and how many of them are on their way.
        self._open: deque[PeerMessage] = deque()
        self._sent = 0

    @property
    def has_more(self) -> bool:
        if self._sent < len(self._open):
            return True
        return not self._is_complete and len(self._open) < CHUNKS_IN_FLIGHT_MAX

    def next_message(self, term: int) -> PeerMessage | None:
        """The next chunk, or None while the follower is busy or everything is sent."""
        if not self.has_more:
            return None
        if self._sent == len(self._open):
            self._open.append(self._pull(term))
        self._sent += 1
        return self._open[self._sent - 1]

    def _pull(self, term: int) -> PeerMessage:
        chunk = next(self._chunks, b"")
        assert len(chunk) <= CHUNK_BYTES_MAX, "the state machine yields chunks of at most 256 KiB"
        self._is_complete = not chunk
        self._checksum = zlib.crc32(chunk, self._checksum)
        message = {
            "type": "snapshot_chunk",
            "term": term,
            "transfer": self.number,
            "number": self._next,
            "checksum": self._checksum,
            "chunk": chunk,
            "is_last": self._is_complete,
        }
        self._next += 1
        return message

    def acknowledged(self, number: int) -> None:
        while self._open and self._open[0]["number"] <= number:
            self._open.popleft()
            self._sent = max(0, self._sent - 1)

    def connection_lost(self) -> None:
        """What was on its way may not have come; it goes out again, and what had come is recognised."""
        self._sent = 0

    def close(self) -> None:
        """Let go of the state machine's snapshot now, not when the garbage collector comes by."""
        close = getattr(self._chunks, "close", None)
        if close is not None:
            close()
