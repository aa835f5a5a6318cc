"""A node on a disk of 32 MB: usable, full without harm, and usable again.

The disk is a real tmpfs where mounting one is allowed, and a folder that pretends otherwise.
"""

import asyncio
import errno
import os
import subprocess

import pytest

from corvo.consensus.journal.disk import OsDisk
from corvo.consensus.raft_node import RaftNode
from corvo.consensus.settings import RaftSettings
from corvo.core.errors import StorageFull
from tests.consensus.raft.raft_nodes import FillableDisk, ListMachine

SIZE = 32 * 1024 * 1024


class RealSmallDisk:
    def __init__(self, directory):
        self.directory = directory
        self._filler = directory / "filler"

    def disk(self):
        return OsDisk(self.directory / "journal")

    def fill(self):
        with self._filler.open("ab", buffering=0) as file:
            for size in (1 << 20, 4096):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError as error:
                    assert error.errno == errno.ENOSPC

    def free(self):
        self._filler.unlink()


class PretendedSmallDisk(FillableDisk):
    def __init__(self, directory):
        super().__init__(directory / "journal")
        self.directory = directory

    def disk(self):
        return self

    def fill(self):
        self.is_full = True

    def free(self):
        self.is_full = False

    def bytes_total(self):
        return SIZE


@pytest.fixture
def small(tmp_path):
    directory = tmp_path / "small"
    directory.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(directory)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        yield PretendedSmallDisk(directory)
        return
    yield RealSmallDisk(directory)
    subprocess.run(["umount", "-l", str(directory)], check=True)


@pytest.fixture
async def node(small):
    machine = ListMachine()
    raft = RaftNode(RaftSettings(node_id="n1", directory=small.directory), machine, disk=small.disk())
    await raft.start()
    machine.on_stored = raft.stored
    yield raft, machine
    await raft.stop()


async def write(raft, machine, command):
    ticket = object()
    raft.propose(command, ticket)
    await machine.until(lambda: ticket in machine.committed_tickets)
    machine.rows[-1] = (*machine.rows[-1][:2], b"")


async def write_for_ever(raft, machine):
    while True:
        await write(raft, machine, bytes(10_000))


async def test_many_times_its_size_passes_through_a_small_disk(node, small):
    raft, machine = node
    for _ in range(100):
        await write(raft, machine, bytes(1 << 20))

    assert raft.stats.proposals_refused_full == 0


async def test_a_full_disk_refuses_and_recovers_without_a_restart(node, small):
    raft, machine = node
    await write(raft, machine, b"before")
    small.fill()
    with pytest.raises(StorageFull):
        await write_for_ever(raft, machine)
    assert raft.stats.is_storage_full

    small.free()
    async with asyncio.timeout(10):
        while True:
            try:
                await write(raft, machine, bytes(1 << 20))
                break
            except StorageFull:
                await asyncio.to_thread(os.sync)

    assert machine.lost_tickets == []
