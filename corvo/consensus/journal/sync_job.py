"""Sync job, one run of the sync thread: make the log durable, then let go of files it no longer needs.

    journal -> [sync job] -> sync thread -> journal

It runs off the loop, because a disk may take its time, and touches only what the journal handed over. If
promises wait for it, no append happens to these files until it is done.
"""

from dataclasses import dataclass

from corvo.consensus.journal.disk import Disk
from corvo.consensus.journal.segment import Segment


@dataclass(slots=True, kw_only=True)
class SyncJob:
    disk: Disk
    unsynced: list[Segment]
    #: Closed segments: no more is appended to them.
    finished: list[Segment]
    #: Segments that hold only what the log has forgotten.
    doomed: list[Segment]
    directory_changed: bool
    #: Whether votes and acknowledgements wait for this; otherwise it only tidies up.
    carries_promises: bool
    #: What is durable once this is done: the last entry, and the position behind it in the whole log.
    index: int
    place: int

    def run(self) -> None:
        for segment in self.unsynced:
            segment.file.sync()
        if self.directory_changed:
            self.disk.sync_directory()
        for segment in self.finished:
            segment.file.truncate(segment.used)
        # Only now: until here a power cut would have needed the old files.
        for segment in self.doomed:
            segment.file.close()
            self.disk.unlink(segment.name)
