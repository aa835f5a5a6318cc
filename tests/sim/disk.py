"""A disk that forgets exactly what a real one may.

Killing a process loses nothing that was written: the kernel has it. A power cut takes any of the sectors
that were written after the last sync, each on its own, and the latest changes of the folder.
"""

import errno
import random
from collections.abc import Sequence

SECTOR = 512


class SimFile:
    def __init__(self, disk: "SimDisk") -> None:
        self._disk = disk
        self.data = bytearray()
        #: Sector number -> what the disk itself holds there, for sectors that differ or may.
        self._unsynced: dict[int, bytes] = {}
        self._synced_size = 0

    def read(self) -> bytes:
        return bytes(self.data)

    def write(self, pieces: Sequence[bytes], offset: int) -> None:
        data = b"".join(pieces)
        end = offset + len(data)
        if end > len(self.data):
            self._disk.claim(end - len(self.data))
            self._grow(end)
        self._remember(offset, end)
        self.data[offset:end] = data

    def preallocate(self, start: int, size: int) -> None:
        if start + size > len(self.data):
            self._disk.claim(start + size - len(self.data))
            self._grow(start + size)

    def truncate(self, size: int) -> None:
        self._remember(size, len(self.data))
        del self.data[size:]

    def sync(self) -> None:
        self._unsynced.clear()
        self._synced_size = len(self.data)

    def close(self) -> None:
        """A descriptor; the file does not care."""

    def lose_power(self, chance: random.Random, keep: float) -> None:
        """Each sector that was not synced reached the disk with this probability."""
        size = len(self.data) if chance.random() < 0.5 else max(self._synced_size, 0)
        lost = [number for number in sorted(self._unsynced) if chance.random() >= keep]
        if len(self.data) < self._synced_size:
            self._grow(self._synced_size)
        for number in lost:
            start = number * SECTOR
            old = self._unsynced[number]
            self.data[start : start + len(old)] = old
        if size < len(self.data):
            del self.data[size:]
        self.sync()

    def _grow(self, size: int) -> None:
        self.data.extend(bytes(size - len(self.data)))

    def _remember(self, start: int, end: int) -> None:
        for number in range(start // SECTOR, -(-end // SECTOR)):
            if number not in self._unsynced:
                self._unsynced[number] = bytes(self.data[number * SECTOR : (number + 1) * SECTOR])


class SimDisk:
    """One folder, which outlives the processes that use it."""

    def __init__(self) -> None:
        self._files: dict[str, SimFile] = {}
        #: Changes of the folder that a power cut may undo: what each name meant before.
        self._unsynced: list[tuple[str, SimFile | None]] = []
        self.is_full = False
        self.syncs = 0

    def names(self) -> list[str]:
        return sorted(self._files)

    def create(self, name: str) -> SimFile:
        if name in self._files:
            raise FileExistsError(name)
        self.claim(1)
        self._unsynced.append((name, None))
        self._files[name] = SimFile(self)
        return self._files[name]

    def open(self, name: str) -> SimFile:
        return self._files[name]

    def unlink(self, name: str) -> None:
        self._unsynced.append((name, self._files.pop(name)))

    def sync_directory(self) -> None:
        self._unsynced.clear()

    def bytes_total(self) -> int:
        return 1 << 30

    def close(self) -> None:
        """There is no lock: the simulator never runs two processes of one node."""

    def claim(self, size: int) -> None:
        if self.is_full and size > 0:
            raise OSError(errno.ENOSPC, "the simulated disk is full")

    def lose_power(self, chance: random.Random) -> None:
        keep = chance.choice((0.0, 0.5, 0.9))
        for _ in range(chance.randint(0, len(self._unsynced))):
            name, before = self._unsynced.pop()
            if before is None:
                self._files.pop(name, None)
            else:
                self._files[name] = before
        self._unsynced.clear()
        for name in sorted(self._files):
            self._files[name].lose_power(chance, keep)
