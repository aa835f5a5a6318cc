"""The leader's end of a snapshot: the state machine's chunks, numbered and summed.

    state machine -> [snapshot out] -> link ~~~ link -> snapshot in -> state machine

Chunks are pulled when the follower has room for them, never faster. Each carries its number and the
checksum of everything so far, so a chunk that went missing can never be papered over.
"""

import zlib
from collections.abc import Iterator
from typing import Final

from corvo.consensus.link import Message

CHUNK_BYTES_MAX: Final = 256 * 1024
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
        self._acknowledged = 0
        self._checksum = 0
        self._is_complete = False

    @property
    def has_more(self) -> bool:
        return not self._is_complete and self._next - self._acknowledged < CHUNKS_IN_FLIGHT_MAX

    def next_message(self, term: int) -> Message | None:
        """The next chunk, or None while the follower is busy or everything is sent."""
        if not self.has_more:
            return None
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
        self._acknowledged = max(self._acknowledged, number + 1)

    def close(self) -> None:
        """Let go of the state machine's snapshot now, not when the garbage collector comes by."""
        close = getattr(self._chunks, "close", None)
        if close is not None:
            close()
