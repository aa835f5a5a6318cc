"""Progress, what a leader knows of one follower: where it stands and what is on the way to it."""

import enum
import math
from collections import deque

from corvo.consensus.raft.snapshot_out import OutgoingSnapshot


class FollowerMode(enum.Enum):
    #: It is not known where the follower's log ends: one message at a time, until one is accepted.
    PROBE = "probe"
    #: Messages follow each other without waiting, within a window.
    STREAM = "stream"
    #: The follower needs entries that are gone; it is sent the whole state.
    SNAPSHOT = "snapshot"


class FollowerProgress:
    def __init__(self, next_index: int) -> None:
        self.mode = FollowerMode.PROBE
        #: The first entry that was not sent yet.
        self.next_index = next_index
        #: Number of the last message, so that an answer can be matched to what it answers.
        self.sequence = 0
        #: PROBE: the message that is out, until it is answered or given up.
        self.probe_until_s = 0.0
        #: Nothing but keep-alives before this time, because the follower's disk is full or a snapshot failed.
        self.asleep_until_s = 0.0
        #: The commit index the follower was told last.
        self.commit_told = 0
        #: How far its state machine is durable, as it last said.
        self.stored_index = 0
        #: The follower lacks what comes before our whole log, as far as was tried.
        self.start_was_refused = False
        self.snapshot: OutgoingSnapshot | None = None
        #: SNAPSHOT: when the transfer is given up, because the follower cannot be reached.
        self.held_until_s = math.inf
        #: SNAPSHOT: no chunk before this time; and where the log ended when the last ones were sent.
        self.resting_until_s = 0.0
        self.log_was_at = 0
        #: SNAPSHOT: whether it goes on on another connection and the follower has not yet agreed to that.
        self.is_resuming = False
        self._in_flight: deque[tuple[int, int]] = deque()
        #: Bytes on the way and not yet acknowledged.
        self.in_flight_bytes = 0
        self._turned_at = 0

    def sent(self, last_index: int, size: int) -> None:
        self.next_index = last_index + 1
        self._in_flight.append((last_index, size))
        self.in_flight_bytes += size

    def acknowledged(self, index: int) -> None:
        """The follower has everything up to here."""
        while self._in_flight and self._in_flight[0][0] <= index:
            self.in_flight_bytes -= self._in_flight.popleft()[1]
        self.next_index = max(self.next_index, index + 1)
        self.start_was_refused = False
        if self.mode is FollowerMode.PROBE:
            self.mode = FollowerMode.STREAM

    def turn_to(self, next_index: int) -> None:
        """Go on from another place. Answers to what was sent before say nothing about it."""
        self.mode = FollowerMode.PROBE
        self.next_index = next_index
        self.probe_until_s = 0.0
        self._turned_at = self.sequence
        self._in_flight.clear()
        self.in_flight_bytes = 0

    def is_answered_late(self, sequence: int) -> bool:
        """Whether this answers a message from before the last turn."""
        return sequence <= self._turned_at

    def go_on_with(self, snapshot: OutgoingSnapshot) -> None:
        """Send what is left of a snapshot that was begun on an earlier connection."""
        snapshot.connection_lost()
        self.mode = FollowerMode.SNAPSHOT
        self.snapshot = snapshot
        self.is_resuming = True

    def drop_snapshot(self) -> None:
        if self.snapshot is not None:
            self.snapshot.close()
            self.snapshot = None
