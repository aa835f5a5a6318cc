"""The follower's end of a snapshot: chunks in order and unharmed, or none at all.

    link -> [snapshot in] -> state machine's sink

Memory stays bounded because each chunk goes straight into the sink, which writes beside the state in use.
"""

import zlib

import structlog

from corvo.consensus.api import Position, SnapshotSink, StateMachine
from corvo.consensus.link import Message

log = structlog.get_logger()


class ChunkRefused(Exception):
    """The chunk does not continue the transfer, or there is no room for it. The leader must begin again."""


class IncomingSnapshot:
    def __init__(self, machine: StateMachine) -> None:
        self._machine = machine
        self._sink: SnapshotSink | None = None
        self._from: tuple[str, int] | None = None
        self._next = 0
        self._checksum = 0

    def take(self, peer: str, message: Message) -> Position | None:
        """Store one chunk. Returns where the new state stands once the last one is in."""
        source = (peer, message["transfer"])
        if message["number"] == 0:
            self.abort()
            self._sink = self._machine.receive()
            self._from, self._next, self._checksum = source, 0, 0
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

    def abort_from(self, peer: str) -> None:
        """This peer is gone; what it was sending will not be continued."""
        if self._from is not None and self._from[0] == peer:
            self.abort()

    def abort(self) -> None:
        if self._sink is not None:
            self._sink.abort()
        self._sink = self._from = None
