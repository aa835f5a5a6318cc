"""One real node: real files, a real sync thread, and restarts."""

import asyncio
import errno
import threading

import pytest

from corvo.consensus.api import Role
from corvo.consensus.errors import DirectoryInUse, JournalDamaged, StateBehindLog
from corvo.consensus.journal.disk import OsFile
from corvo.consensus.raft_node import RaftNode
from corvo.consensus.settings import JournalLimits, RaftSettings
from corvo.core.errors import NotLeader, StorageFull
from tests.consensus.raft.raft_nodes import FillableDisk, ListMachine


@pytest.fixture
async def start(tmp_path):
    """Start a node on this folder; whatever runs at the end is stopped."""
    running = []

    async def start(machine, **more):
        settings = {"node_id": "n1", "directory": tmp_path / "journal", **more.pop("settings", {})}
        raft = RaftNode(RaftSettings(**settings), machine, **more)
        await raft.start()
        machine.on_stored = raft.stored
        running.append(raft)
        return raft

    yield start
    for raft in running:
        await raft.stop()


async def write(raft, machine, *commands):
    done = len(machine.committed_tickets) + len(commands)
    for command in commands:
        raft.propose(command, command)
    await machine.until(lambda: len(machine.committed_tickets) == done)


async def test_it_leads_when_start_returns(start):
    machine = ListMachine()
    raft = await start(machine)

    assert raft.status().role is Role.LEADER
    assert machine.role is Role.LEADER
    assert raft.port is None


@pytest.mark.parametrize("sync", ["always", "never"])
async def test_what_was_committed_is_there_after_a_restart(start, sync):
    rows = []
    for number in range(3):
        machine = ListMachine(rows)
        raft = await start(machine, settings={"sync": sync})
        await write(raft, machine, b"%d" % number, bytes(100_000))
        await raft.stop()

    assert [row[2] for row in rows] == [b"0", bytes(100_000), b"1", bytes(100_000), b"2", bytes(100_000)]


async def test_a_state_machine_that_lost_its_tail_is_fed_again(start):
    rows = []
    machine = ListMachine(rows)
    raft = await start(machine)
    await write(raft, machine, b"a", b"b", b"c")
    await raft.stop()
    del rows[1:]

    machine = ListMachine(rows)
    raft = await start(machine)
    await machine.until(lambda: machine.commands == [b"a", b"b", b"c"])

    assert machine.committed_tickets == []


async def test_a_state_machine_that_lost_too_much_is_refused(start):
    machine = ListMachine()
    limits = JournalLimits(
        segment_bytes=1 << 16, step_bytes=1 << 12, cut_entries=10, keep_entries=5, cut_bytes=1 << 24
    )
    raft = await start(machine, settings={"journal": limits})
    for _ in range(30):
        await write(raft, machine, bytes(10_000))
    await raft.stop()

    with pytest.raises(StateBehindLog, match="must rejoin as a new one"):
        await start(ListMachine())


async def test_stopping_loses_open_tickets_and_refuses_new_ones(start):
    machine = ListMachine()
    raft = await start(machine)
    raft.propose(b"x", "ticket")

    await raft.stop()
    await raft.stop()

    assert machine.lost_tickets == ["ticket"]
    assert raft.status().role is Role.STOPPED
    with pytest.raises(NotLeader):
        raft.propose(b"y", 2)


async def test_a_node_that_was_not_started_takes_nothing(tmp_path):
    raft = RaftNode(RaftSettings(node_id="n1", directory=tmp_path), ListMachine())
    with pytest.raises(NotLeader):
        raft.propose(b"x", 1)
    await raft.stop()


async def test_two_nodes_never_share_a_journal(start):
    await start(ListMachine())
    with pytest.raises(DirectoryInUse, match="in use by another process"):
        await start(ListMachine())


async def test_a_damaged_tail_is_shown_in_the_stats(start, tmp_path):
    machine = ListMachine()
    raft = await start(machine)
    await write(raft, machine, b"a", b"b" * 100)
    await raft.stop()
    segment = next((tmp_path / "journal").glob("*.seg"))
    data = bytearray(segment.read_bytes())
    data[len(data.rstrip(b"\0")) - 5] ^= 1
    segment.write_bytes(data)

    raft = await start(ListMachine(machine.rows[:1]))

    assert raft.stats.damage is not None
    assert raft.stats.damage.file == segment.name


async def test_damage_in_the_middle_refuses_the_start_and_frees_the_folder(start, tmp_path):
    machine = ListMachine()
    raft = await start(machine)
    await write(raft, machine, b"a" * 100)
    await write(raft, machine, b"b" * 100)
    await raft.stop()
    segment = next((tmp_path / "journal").glob("*.seg"))
    sound = segment.read_bytes()
    data = bytearray(sound)
    data[data.index(b"a" * 100) + 5] ^= 1
    segment.write_bytes(data)

    with pytest.raises(JournalDamaged, match=segment.name):
        await start(ListMachine())

    segment.write_bytes(sound)
    await start(ListMachine())


# Faults of the disk


def propose_for_ever(raft, taken):
    while True:
        raft.propose(bytes(1 << 20), len(taken))
        taken.append(None)


async def test_a_full_disk_refuses_writes_and_space_that_returns_lets_them_in(start, tmp_path):
    machine = ListMachine()
    disk = FillableDisk(tmp_path / "journal")
    raft = await start(machine, disk=disk)
    await write(raft, machine, b"before")
    disk.is_full = True

    taken = []
    with pytest.raises(StorageFull):
        propose_for_ever(raft, taken)
    assert raft.stats.is_storage_full
    await machine.until(lambda: len(machine.committed_tickets) == 1 + len(taken))

    disk.is_full = False
    await write(raft, machine, bytes(1 << 20))
    assert machine.lost_tickets == []


async def test_a_failed_sync_stops_the_node(start, monkeypatch):
    failures = []
    machine = ListMachine()
    raft = await start(machine, fail_stop=failures.append)

    def fail(file):
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(OsFile, "sync", fail)
    raft.propose(b"x", "ticket")
    await machine.until(lambda: machine.role is Role.STOPPED)

    assert "input/output error" in failures[0]
    assert machine.lost_tickets == ["ticket"]
    assert machine.commands == []


async def test_the_loop_is_not_held_up_by_a_slow_disk(start, monkeypatch):
    machine = ListMachine()
    raft = await start(machine)
    turns = 0
    is_syncing = asyncio.Event()
    loop = asyncio.get_running_loop()
    may_finish = threading.Event()
    original = OsFile.sync

    def slow(file):
        loop.call_soon_threadsafe(is_syncing.set)
        may_finish.wait(5)
        original(file)

    monkeypatch.setattr(OsFile, "sync", slow)
    raft.propose(b"x", 1)
    await is_syncing.wait()

    def turn():
        nonlocal turns
        turns += 1
        if turns < 100:
            loop.call_soon(turn)
        else:
            may_finish.set()

    turn()
    await machine.until(lambda: machine.committed_tickets == [1])
    assert turns == 100
