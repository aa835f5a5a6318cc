"""The follower's end of a snapshot: chunks in order and unharmed, or none at all.

    link -> [snapshot in] -> state machine's sink

Memory stays bounded because each chunk goes straight into the sink, which writes beside the state in use.
What is stored is kept when the connection is lost: its leader goes on with what was not acknowledged.
"""

import zlib

import structlog

from corvo.consensus.api import CommitListener, Position, SnapshotSink
from corvo.consensus.link.protocol import PeerMessage

log = structlog.get_logger()


class ChunkRefused(Exception):
    """The chunk does not continue the transfer, or there is no room for it. The leader must begin again."""


class IncomingSnapshot:
    def __init__(self, listener: CommitListener) -> None:
        self._listener = listener
        self._sink: SnapshotSink | None = None
        #: Leader, term and number of the transfer; no two transfers have all three in common.
        self._from: tuple[str, int, int] | None = None
        self._next = 0
        self._checksum = 0

    def take(self, peer: str, message: PeerMessage) -> Position | None:
        """Store one chunk. Returns where the new state stands once the last one is in."""
        source = (peer, message["term"], message["transfer"])
        if message["number"] == 0 and source != self._from:
            self.abort()
            self._sink = self._listener.receive()
            self._from, self._next, self._checksum = source, 0, 0
        if self._sink is not None and source == self._from and message["number"] < self._next:
            return None  # It came before the connection was lost; only the answer did not.
        if self._sink is None or source != self._from or message["number"] != self._next:
            raise ChunkRefused(f"chunk {message['number']} does not continue the transfer")
        checksum = zlib.crc32(message["chunk"], self._checksum)
        if checksum != message["checksum"]:
            self.abort()
            raise ChunkRefused(f"chunk {message['number']} or one before it was altered on the way")
        self._next += 1
        self._checksum = checksum
        try:
            if message["chunk"]:
                self._sink.write(message["chunk"])
            if not message["is_last"]:
                return None
            position = self._sink.finish()
        except OSError as error:
            log.warning("snapshot.not_stored", leader=peer, reason=str(error))
            self.abort()
            raise ChunkRefused("the snapshot cannot be stored here now") from error
        self._sink = self._from = None
        return position

    def abort(self) -> None:
        if self._sink is not None:
            self._sink.abort()
        self._sink = self._from = None
