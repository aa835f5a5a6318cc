"""One file of the log: a header, records, and zeros that the disk has already set aside.

    journal -> [segment] -> disk

A file is named after the position of its first byte in the whole log. Its header repeats what a
reader needs when all older files are gone: where the log stood, the term, and the vote.
"""

import zlib
from dataclasses import dataclass
from struct import Struct
from typing import Final

from corvo.consensus.errors import DiskFull, JournalTooNew, is_disk_full
from corvo.consensus.journal.disk import Disk, File

FORMAT: Final = 1
HEADER_BYTES: Final = 512
SUFFIX: Final = ".seg"
_MAGIC: Final = b"CORVOLOG"
_START = Struct("<8sII")
_FIELDS = Struct("<QQQQH")

#: When a whole step is too much for the disk, this is asked for instead: the last room is room too.
_SMALL_STEP_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class SegmentHeader:
    #: Position of the file's first byte in the whole log.
    place: int
    #: The last entry before this file.
    index: int
    term: int
    current_term: int
    vote: str | None

    def encode(self) -> bytes:
        vote = (self.vote or "").encode()
        body = _FIELDS.pack(self.place, self.index, self.term, self.current_term, len(vote)) + vote
        body = body.ljust(HEADER_BYTES - _START.size, b"\0")
        assert len(body) == HEADER_BYTES - _START.size, "a node id is too long for the header"
        return _START.pack(_MAGIC, FORMAT, zlib.crc32(body)) + body

    @classmethod
    def decode(cls, data: bytes, name: str) -> "SegmentHeader | None":
        """None if these bytes are no sound header."""
        if len(data) < HEADER_BYTES or data[: len(_MAGIC)] != _MAGIC:
            return None
        _, version, checksum = _START.unpack_from(data)
        if version != FORMAT:
            raise JournalTooNew(f"{name} has journal format {version}; this version reads format {FORMAT}")
        body = data[_START.size : HEADER_BYTES]
        if zlib.crc32(body) != checksum:
            return None
        place, index, term, current_term, vote_bytes = _FIELDS.unpack_from(body)
        vote = body[_FIELDS.size : _FIELDS.size + vote_bytes].decode()
        return cls(place, index, term, current_term, vote or None)


def file_name(place: int) -> str:
    return f"{place:020d}{SUFFIX}"


class Segment:
    """A file that is being appended to, or was. Writes are gathered until `flush`."""

    def __init__(self, name: str, header: SegmentHeader, file: File, *, used: int, allocated: int) -> None:
        self.name = name
        self.header = header
        self.file = file
        #: Bytes of header and records, also those that are not written yet.
        self.used = used
        self.allocated = allocated
        self._pieces: list[bytes] = []
        self._pieces_start = used

    @classmethod
    def create(cls, disk: Disk, header: SegmentHeader, *, room: int, step: int) -> "Segment":
        """A new file with room for that many bytes of records. Raises DiskFull and leaves nothing behind."""
        name = file_name(header.place)
        try:
            file = disk.create(name)
        except OSError as error:
            if is_disk_full(error):
                raise DiskFull(f"no room for a new file {name}") from error
            raise
        segment = cls(name, header, file, used=0, allocated=0)
        try:
            segment.make_room(HEADER_BYTES + room, step)
        except DiskFull:
            file.close()
            disk.unlink(name)
            raise
        segment.append(header.encode())
        return segment

    @property
    def end(self) -> int:
        """Position behind the last record, in the whole log."""
        return self.header.place + self.used

    @property
    def is_written(self) -> bool:
        return not self._pieces

    def make_room(self, size: int, step: int) -> None:
        """Claim disk space for this many bytes behind `used`. Raises DiskFull, and nothing has changed."""
        needed = self.used + size
        if needed <= self.allocated:
            return
        try:
            self._allocate(_round_up(needed, step))
        except DiskFull:
            self._allocate(_round_up(needed, _SMALL_STEP_BYTES))

    def append(self, head: bytes, payload: bytes = b"") -> None:
        self._pieces.append(head)
        if payload:
            self._pieces.append(payload)
        self.used += len(head) + len(payload)

    def flush(self) -> None:
        """Hand what was gathered to the kernel. On OSError all of it is kept and may be flushed again."""
        if not self._pieces:
            return
        self.file.write(self._pieces, self._pieces_start)
        self._pieces = []
        self._pieces_start = self.used

    def _allocate(self, size: int) -> None:
        try:
            self.file.preallocate(self.allocated, size - self.allocated)
        except OSError as error:
            if is_disk_full(error):
                raise DiskFull(f"no room for {size} bytes in {self.name}") from error
            raise
        self.allocated = size


def _round_up(size: int, step: int) -> int:
    return -(-size // step) * step
