"""Recovery: reading the journal back at start, and judging what is wrong with it.

    disk -> [recovery] -> journal

A power cut loses writes that were never synced, sector by sector and in any order. No promise rests on
those, so they are dropped with a warning. Anything else that does not add up is damage: the node refuses
to start, because entries it has promised may be behind it.
"""

from dataclasses import dataclass, field
from typing import Final

import structlog

from corvo.consensus.api import JournalEntry
from corvo.consensus.errors import JournalDamaged, RefusedToStart
from corvo.consensus.journal import record
from corvo.consensus.journal.disk import Disk, File
from corvo.consensus.journal.record import RecordKind
from corvo.consensus.journal.segment import HEADER_BYTES, SUFFIX, Segment, SegmentHeader

log = structlog.get_logger()

#: What a disk writes as a whole or not at all.
SECTOR_BYTES: Final = 512

#: Stands for the entry before the first one: only its index and term matter.
NO_COMMAND: Final = b"\x01"


@dataclass(frozen=True, slots=True)
class Damage:
    """A tail that was dropped at start, for the log line and for `corvo doctor`."""

    file: str
    offset: int
    bytes_dropped: int


@dataclass(slots=True)
class Recovered:
    """What the files say. The last segment is the one to append to; there may be none."""

    segments: list[Segment] = field(default_factory=list)
    entries: list[JournalEntry] = field(default_factory=list)
    term: int = 0
    vote: str | None = None
    damage: Damage | None = None

    def replay(self, found: record.Record, where: str) -> None:
        if found.kind == RecordKind.TERM:
            self.term, self.vote = found.term, found.payload.decode() or None
        elif found.kind == RecordKind.RESET:
            self.entries = [(NO_COMMAND, found.index, found.term)]
        else:
            self._replay_entry(found, where)

    def _replay_entry(self, found: record.Record, where: str) -> None:
        first, last = self.entries[0][1], self.entries[-1][1]
        if found.index > last + 1:
            raise JournalDamaged(
                f"{where}: entry {found.index} follows entry {last}; those between are missing"
            )
        # An entry whose index is taken replaces that entry and all behind it. If even the first one
        # goes, the entries it replaces were in a file that has been cut away since.
        del self.entries[max(0, found.index - first) :]
        self.entries.append((found.payload, found.index, found.term))


@dataclass(slots=True)
class _Image:
    """A segment file as it was read."""

    name: str
    file: File
    data: bytes
    #: Position of its first byte in the whole log, by its name.
    place: int
    #: None if it is not sound.
    header: SegmentHeader | None


def recover(disk: Disk) -> Recovered:
    """Read every segment, oldest first. Raises JournalDamaged or JournalTooNew rather than guess."""
    files = {name: disk.open(name) for name in disk.names() if name.endswith(SUFFIX)}
    try:
        return _read_all(disk, [_load(name, file) for name, file in files.items()])
    except RefusedToStart:
        for file in files.values():
            file.close()
        raise


def _load(name: str, file: File) -> _Image:
    data = file.read()
    header = SegmentHeader.decode(data, name)
    place = int(name.removesuffix(SUFFIX))
    if header is not None and header.place != place:
        raise JournalDamaged(f"{name} says it begins at {header.place}; it was renamed or overwritten")
    return _Image(name, file, data, place, header)


def _read_all(disk: Disk, images: list[_Image]) -> Recovered:
    recovered = Recovered()
    for number, image in enumerate(images):
        if recovered.segments and image.place != recovered.segments[-1].end:
            # Between the two is a hole: the end of the older file was lost, or a whole file is missing.
            _drop_tail(recovered, disk, images[number - 1 :], recovered.segments[-1].used)
            break
        broken_at = _read_segment(recovered, image)
        if broken_at is not None:
            _drop_tail(recovered, disk, images[number:], broken_at)
            break
    return recovered


def _read_segment(recovered: Recovered, image: _Image) -> int | None:
    """Replay one file. Returns where it stops making sense, or None if it is sound to its end."""
    header = image.header
    if header is None:
        return 0
    if not recovered.entries:
        recovered.entries = [(NO_COMMAND, header.index, header.term)]
    recovered.term, recovered.vote = header.current_term, header.vote

    written = len(image.data.rstrip(b"\0"))
    at = HEADER_BYTES
    while at < written:
        found = record.read(image.data, at, header.place)
        if found is None:
            break
        recovered.replay(found, f"{image.name} at {at}")
        at = found.end
    segment = Segment(image.name, header, image.file, used=at, allocated=len(image.data))
    recovered.segments.append(segment)
    return at if at < written else None


# Judging


def _drop_tail(recovered: Recovered, disk: Disk, images: list[_Image], at: int) -> None:
    """Cut the log at this offset of the first image, if a power cut can explain what is there."""
    broken = images[0]
    _refuse_rot(images, at)
    dropped = sum(len(image.data.rstrip(b"\0")) for image in images) - at
    if dropped:  # A file that was set aside and never begun is no loss.
        recovered.damage = Damage(broken.name, at, dropped)
        log.warning("journal.tail_dropped", file=broken.name, offset=at, bytes_dropped=dropped)
    for image in reversed(images[1:]):
        image.file.close()
        disk.unlink(image.name)
    if at == 0:
        broken.file.close()
        disk.unlink(broken.name)
    else:
        # Zeros rather than a shorter file: the room stays claimed, should the disk be full.
        broken.file.write([bytes(len(broken.data) - at)], at)
        broken.file.sync()
    disk.sync_directory()


def _refuse_rot(images: list[_Image], at: int) -> None:
    broken = images[0]
    where = f"{broken.name} at offset {at}"
    place = broken.place + at
    for image in images:
        start = at + 1 if image is broken else 0
        while (match := record.find(image.data, start, image.place)) is not None:
            found_at, found = match
            if found.synced > place:
                raise JournalDamaged(f"{where}: bytes that were durable have changed or are gone")
            if image is broken and start == at + 1 and not _has_lost_sector(image.data, at, found_at):
                raise JournalDamaged(f"{where}: bytes have changed and sound ones follow")
            start = found.end


def _has_lost_sector(data: bytes, start: int, end: int) -> bool:
    """Whether some sector here was never written: space ahead of the log is zeros, so it still is."""
    for sector in range(start - start % SECTOR_BYTES, end, SECTOR_BYTES):
        piece = data[max(sector, start) : sector + SECTOR_BYTES]
        if not piece.strip(b"\0"):
            return True
    return False
