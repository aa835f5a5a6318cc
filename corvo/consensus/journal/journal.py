"""The log of one node: its tail in memory for pysyncobj, all of it in segment files for the next start.

    engine -> [journal] -> segment -> disk

Entries are gathered in memory, written by `flush` and made durable by a `SyncJob` on another thread, one
for all entries of a round. Nothing is ever rewritten: an entry that replaces another is a later record,
cutting the log unlinks whole files, and a snapshot that replaces the log is one record.
"""

from typing import Final

from corvo.consensus.api import JournalEntry
from corvo.consensus.errors import DiskFull, NoRoomToStart, is_disk_full
from corvo.consensus.journal import record
from corvo.consensus.journal.disk import Disk
from corvo.consensus.journal.record import HEAD_BYTES, RecordKind
from corvo.consensus.journal.recovery import NO_COMMAND, recover
from corvo.consensus.journal.segment import HEADER_BYTES, Segment, SegmentHeader
from corvo.consensus.journal.sync_job import SyncJob
from corvo.consensus.settings import JournalLimits, SyncMode

#: Kept free behind every reservation, so that a node with a full disk can still vote and be elected.
ELECTION_BYTES: Final = 64 * 1024
#: What one election writes at most: a term with its vote, and the leader's first entry.
_ONE_ELECTION_BYTES: Final = 1024


class Journal:
    def __init__(self, disk: Disk, limits: JournalLimits, *, sync: SyncMode) -> None:
        self._disk = disk
        self._limits = limits
        self._lazy = sync == "never"
        found = recover(disk)
        #: A tail that was dropped at start, or None.
        self.damage = found.damage
        self.term = found.term
        self.vote = found.vote
        self._entries: list[JournalEntry] = found.entries or [(NO_COMMAND, 1, 0)]
        self._entries_bytes = sum(map(_size, self._entries))
        self._segments = found.segments
        #: Files with something that is not yet written or not yet synced. Almost always just the last one.
        self._touched: list[Segment] = []
        self._finished: list[Segment] = []
        self._doomed: list[Segment] = []
        self._directory_changed = False
        self._reserved = 0
        self._refused_bytes = 0
        #: Records that the disk had no room for. Nothing may be promised until they are written.
        self._owed: dict[RecordKind, tuple[int, int, bytes]] = {}
        #: Position in the whole log up to which a power cut takes nothing.
        self._synced_place = 0
        if not self._segments:
            self._segments.append(self._first_segment())
        self._make_all_durable()
        #: The last entry that promises may rest on.
        self.durable_index = self.last_index

    # Reading

    @property
    def first_index(self) -> int:
        """The entry before the first one that can be read; of itself only index and term are known."""
        return self._entries[0][1]

    @property
    def last_index(self) -> int:
        return self._entries[-1][1]

    @property
    def last_term(self) -> int:
        return self._entries[-1][2]

    @property
    def bytes_held(self) -> int:
        return self._entries_bytes

    @property
    def segments_held(self) -> int:
        return len(self._segments)

    def term_at(self, index: int) -> int | None:
        """The term of this entry, or None if it is not in the log."""
        at = index - self.first_index
        return self._entries[at][2] if 0 <= at < len(self._entries) else None

    def between(self, first: int, last: int) -> list[JournalEntry]:
        """Entries first..last, both included. They must be in the log."""
        start = first - self.first_index
        assert start > 0, "the entry at the very start of the log has no command"
        return self._entries[start : last + 1 - self.first_index]

    def batch(self, first: int, *, bytes_max: int, entries_max: int) -> tuple[list[JournalEntry], int]:
        """Entries from here on that fit into one message, at least one if there is one, and their bytes."""
        start = first - self.first_index
        assert start > 0, "the entry at the very start of the log has no command"
        end, total = start, 0
        while end < min(len(self._entries), start + entries_max):
            size = _size(self._entries[end])
            if end > start and total + size > bytes_max:
                break
            total += size
            end += 1
        return self._entries[start:end], total

    # Room

    def reserve(self, command_bytes: int) -> None:
        """Set room aside for an entry that will be added later. Raises DiskFull, and nothing has changed."""
        size = HEAD_BYTES + command_bytes
        self.ensure_room(size)
        self._reserved += size

    def ensure_room(self, size: int) -> None:
        """Make sure that records of this many bytes can be added now. Raises DiskFull."""
        self._write_owed()
        self._refused_bytes = size
        if self._owed:
            raise DiskFull("what comes first is not written yet")
        self._active.make_room(self._reserved + size + ELECTION_BYTES, self._limits.step_bytes)
        self._refused_bytes = 0

    def release(self, command_bytes: int) -> None:
        """The entry is about to be added, or never will be."""
        self._reserved -= HEAD_BYTES + command_bytes
        assert self._reserved >= 0

    def has_room(self) -> bool:
        """Whether the disk is no longer full: there is room for what was refused, and nothing is owed."""
        try:
            self.ensure_room(self._refused_bytes)
        except DiskFull:
            return False
        return all(segment.is_written for segment in self._segments)

    def has_room_for_election(self) -> bool:
        self._write_owed()
        try:
            self._active.make_room(self._reserved + _ONE_ELECTION_BYTES, self._limits.step_bytes)
        except DiskFull:
            return False
        return not self._owed

    # Writing

    def add(self, command: bytes, index: int, term: int) -> None:
        """Append an entry. If the index is taken, that entry and all behind it are replaced."""
        assert self.first_index < index <= self.last_index + 1, (
            f"entry {index} does not follow {self.last_index}"
        )
        self._write(RecordKind.ENTRY, index, term, command)
        if index <= self.last_index:
            at = index - self.first_index
            self._entries_bytes -= sum(map(_size, self._entries[at:]))
            del self._entries[at:]
            self.durable_index = min(self.durable_index, index - 1)
        entry = (command, index, term)
        self._entries.append(entry)
        self._entries_bytes += _size(entry)

    def set_term(self, term: int, vote: str | None) -> None:
        assert term >= self.term
        self.term, self.vote = term, vote
        self._owe(RecordKind.TERM, 0, term, (vote or "").encode())

    def reset(self, index: int, term: int) -> None:
        """Begin anew behind this entry: the state machine has everything up to it from somewhere else."""
        self._entries = [(NO_COMMAND, index, term)]
        self._entries_bytes = _size(self._entries[0])
        self.durable_index = min(self.durable_index, index)
        self._owe(RecordKind.RESET, index, term, b"")
        self._doomed += self._segments[:-1]
        del self._segments[:-1]

    def cut_to(self, index: int) -> None:
        """Forget all entries before this one, and its command. Files go once they hold nothing else."""
        drop = index - self.first_index
        assert 0 <= drop < len(self._entries), "the log is never cut beyond its end"
        before = (NO_COMMAND, index, self._entries[drop][2])
        self._entries_bytes += _size(before) - sum(map(_size, self._entries[: drop + 1]))
        self._entries[: drop + 1] = [before]
        while len(self._segments) > 1 and self._segments[1].header.index <= index:
            self._doomed.append(self._segments.pop(0))

    # Making durable

    def flush(self) -> bool:
        """Give everything to the kernel. False means: the disk is full and nothing may be promised yet."""
        try:
            self._write_owed()
            for segment in self._touched:
                segment.flush()
        except OSError as error:
            if not is_disk_full(error):
                raise
            return False
        if self._owed:
            return False
        if self._lazy:
            self.durable_index = self.last_index
        return True

    @property
    def needs_sync(self) -> bool:
        """Whether promises must wait for a SyncJob."""
        return bool(self._touched) and not self._lazy

    def sync_job(self, *, even_if_lazy: bool = False) -> SyncJob | None:
        """The work that makes everything flushed so far durable, or None if there is none to be done now."""
        carries_promises = self.needs_sync
        if not (carries_promises or self._finished or self._doomed or even_if_lazy):
            return None
        job = SyncJob(
            disk=self._disk,
            unsynced=self._touched,
            finished=[segment for segment in self._finished if segment not in self._doomed],
            doomed=self._doomed,
            directory_changed=self._directory_changed,
            carries_promises=carries_promises,
            index=self.last_index,
            place=self._active.end,
        )
        self._touched, self._finished, self._doomed = [], [], []
        self._directory_changed = False
        return job

    def synced(self, job: SyncJob) -> None:
        """The job is done, on the loop's thread again."""
        self._synced_place = job.place
        if job.carries_promises:
            self.durable_index = job.index

    def close(self) -> None:
        """Release the files. What was not synced stays with the kernel."""
        for segment in (*self._doomed, *self._segments):
            segment.file.close()
        self._disk.close()

    # Segments

    @property
    def _active(self) -> Segment:
        return self._segments[-1]

    def _write(self, kind: RecordKind, index: int, term: int, payload: bytes) -> None:
        size = HEAD_BYTES + len(payload)
        if self._active.used + size > self._limits.segment_bytes and self._active.used > HEADER_BYTES:
            self._begin_segment(size)
        active = self._active
        active.make_room(size, self._limits.step_bytes)
        head = record.head(kind, index, term, synced=self._synced_place, payload=payload, place=active.end)
        active.append(head, payload)
        self._touch(active)

    def _touch(self, segment: Segment) -> None:
        # What is about to be unlinked stays in the list too: a power cut may bring it back.
        if not self._touched or self._touched[-1] is not segment:
            self._touched.append(segment)

    def _owe(self, kind: RecordKind, index: int, term: int, payload: bytes) -> None:
        """Write a record that cannot be refused: at once, or as soon as the disk has room for it."""
        self._owed[kind] = (index, term, payload)
        self._write_owed()

    def _write_owed(self) -> None:
        if not self._owed:
            return
        for kind, (index, term, payload) in list(self._owed.items()):
            try:
                self._write(kind, index, term, payload)
            except DiskFull:
                return
            del self._owed[kind]

    def _begin_segment(self, size: int) -> None:
        room = self._reserved + size + ELECTION_BYTES
        try:
            segment = self._new_segment(place=self._active.end, room=room)
        except DiskFull:
            return  # The old one goes on growing: it has the room that was set aside.
        self._finished.append(self._active)
        self._segments.append(segment)

    def _first_segment(self) -> Segment:
        try:
            return self._new_segment(place=0, room=ELECTION_BYTES)
        except DiskFull as error:
            raise NoRoomToStart(f"the disk is full, a journal cannot be begun: {error}") from error

    def _new_segment(self, *, place: int, room: int) -> Segment:
        header = SegmentHeader(place, self.last_index, self.last_term, self.term, self.vote)
        segment = Segment.create(self._disk, header, room=room, step=self._limits.step_bytes)
        self._directory_changed = True
        self._touch(segment)
        return segment

    def _make_all_durable(self) -> None:
        """What was read back may be known to the kernel only; promises rest on it from now on."""
        for segment in self._segments:
            segment.flush()
            if not self._lazy:
                segment.file.sync()
        if not self._lazy:
            self._touched.clear()
            self._disk.sync_directory()
            self._directory_changed = False
            self._synced_place = self._active.end

    # pysyncobj's names for what it needs of a log. Positions count from the first entry held.

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, position: int) -> JournalEntry:
        return self._entries[position]

    def setCurrentTerm(self, term: int, vote: str | None) -> None:
        self.set_term(term, vote)

    def getCurrentTerm(self) -> int:
        return self.term

    def getVotedForNodeId(self) -> str | None:
        return self.vote

    def getRaftCommitIndex(self) -> int:
        # Not stored: the state machine knows how far it got, and that much is committed.
        return self.first_index

    def setRaftCommitIndex(self, index: int) -> None:
        """Nothing to store: see `getRaftCommitIndex`."""

    def onOneSecondTimer(self) -> None:
        """Nothing is due by the clock: the driver says when to write."""


def _size(entry: JournalEntry) -> int:
    return HEAD_BYTES + len(entry[0])
