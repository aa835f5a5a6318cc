"""Damaged files: a lost tail is dropped and reported, anything else is refused with a sentence."""

import pytest
import structlog

from corvo.consensus.errors import JournalDamaged, JournalTooNew
from corvo.consensus.journal.record import HEAD_BYTES
from corvo.consensus.journal.segment import HEADER_BYTES
from tests.consensus.journal.journals import make_durable, open_journal
from tests.sim.disk import SimDisk


@pytest.fixture
def disk():
    return SimDisk()


def write(disk, *commands, one_sync=False, sync="always"):
    """A journal with these entries, each with a sync of its own unless they share one."""
    journal = open_journal(disk, sync=sync)
    for command in commands:
        journal.add(command, journal.last_index + 1, 1)
        if not one_sync:
            make_durable(journal)
    make_durable(journal)


def read(disk):
    return [command for command, _, _ in open_journal(disk)[:]][1:]


def data_of(disk, number=-1):
    return disk.open(disk.names()[number]).data


def place_of(number, size):
    """Where the record of the entry with this number begins, if all have this size."""
    return HEADER_BYTES + number * (HEAD_BYTES + size)


FOUR = tuple(bytes([node_message]) * 600 for node_message in b"abcd")


def test_a_tail_cut_short_loses_the_unfinished_entry_only_and_is_reported(disk):
    write(disk, *FOUR)
    del data_of(disk)[place_of(3, 600) + 100 :]

    with structlog.testing.capture_logs() as logs:
        journal = open_journal(disk)

    assert journal.last_index == 4
    assert journal.damage.file == disk.names()[0]
    assert journal.damage.offset == place_of(3, 600)
    assert journal.damage.bytes_dropped == 100
    assert [line["event"] for line in logs] == ["journal.tail_dropped"]


@pytest.mark.parametrize("offset", [0, 6, 9, 14, 30, HEAD_BYTES, HEAD_BYTES + 599])
def test_a_flipped_bit_in_the_last_entry_costs_that_entry_and_is_reported(disk, offset):
    write(disk, *FOUR)
    data_of(disk)[place_of(3, 600) + offset] ^= 0x10

    journal = open_journal(disk)

    assert journal.last_index == 4
    assert journal.damage is not None


@pytest.mark.parametrize("offset", [0, 6, 9, 14, 30, HEAD_BYTES, HEAD_BYTES + 599])
def test_a_flipped_bit_in_the_middle_is_refused_with_file_and_offset(disk, offset):
    write(disk, *FOUR)
    data_of(disk)[place_of(1, 600) + offset] ^= 0x10

    with pytest.raises(
        JournalDamaged, match=rf"{disk.names()[0]} at offset {place_of(1, 600)}: bytes that were"
    ):
        open_journal(disk)


def test_a_flipped_bit_among_entries_of_the_last_sync_is_refused_too(disk):
    write(disk, *FOUR, one_sync=True)
    data_of(disk)[place_of(1, 600) + 100] ^= 0x10

    with pytest.raises(JournalDamaged, match="bytes have changed and sound ones follow"):
        open_journal(disk)


def test_a_zeroed_page_in_the_middle_is_refused(disk):
    write(disk, *(b"x" * 600 for _ in range(20)))
    data_of(disk)[4096:8192] = bytes(4096)

    with pytest.raises(JournalDamaged, match="at offset"):
        open_journal(disk)


def test_a_lost_sector_among_entries_that_were_never_synced_is_no_damage(disk):
    journal = open_journal(disk)
    journal.add(b"kept", 2, 1)
    make_durable(journal)
    for number in range(5):
        journal.add(bytes([1 + number]) * 2_000, 3 + number, 1)
    journal.flush()
    # Power fails: of all that was not synced, just one sector in the middle did not make it.
    data_of(disk)[1024:1536] = bytes(512)

    journal = open_journal(disk)

    assert [command for command, _, _ in journal[:]][1:] == [b"kept"]
    assert journal.damage is not None


def test_dropping_a_tail_is_final(disk):
    write(disk, *FOUR)
    del data_of(disk)[place_of(3, 600) + 100 :]
    journal = open_journal(disk)
    journal.add(b"new", 5, 2)
    make_durable(journal)

    journal = open_journal(disk)

    assert [command for command, _, _ in journal[:]][1:] == [*FOUR[:3], b"new"]
    assert journal.damage is None


def test_a_flipped_bit_in_a_header_is_refused(disk):
    write(disk, *FOUR)
    data_of(disk)[20] ^= 1

    with pytest.raises(JournalDamaged, match="at offset 0"):
        open_journal(disk)


def test_a_newer_format_is_refused_with_a_sentence(disk):
    write(disk, b"a")
    data_of(disk)[8] = 2

    with pytest.raises(JournalTooNew, match="has journal format 2; this version reads format 1"):
        open_journal(disk)


# Several files


def three_files(disk):
    write(disk, *(bytes([number]) * 4_000 for number in range(9)))
    assert len(disk.names()) == 3


def test_damage_in_an_older_file_is_refused(disk):
    three_files(disk)
    data_of(disk, 0)[2_000] ^= 1

    with pytest.raises(JournalDamaged, match=disk.names()[0]):
        open_journal(disk)


def test_a_missing_file_in_the_middle_is_refused(disk):
    three_files(disk)
    disk.unlink(disk.names()[1])

    with pytest.raises(JournalDamaged, match="durable have changed or are gone"):
        open_journal(disk)


def test_a_renamed_file_is_refused(disk):
    three_files(disk)
    disk._files["00000000000000099999.seg"] = disk._files.pop(disk.names()[-1])

    with pytest.raises(JournalDamaged):
        open_journal(disk)


def test_a_file_that_was_never_begun_is_no_damage(disk):
    three_files(disk)
    end = int(disk.names()[-1].removesuffix(".seg")) + len(data_of(disk).rstrip(b"\0"))
    disk.create(f"{end:020d}.seg").preallocate(0, 4_096)

    journal = open_journal(disk)

    assert journal.last_index == 10
    assert journal.damage is None
    assert len(disk.names()) == 3


def test_the_end_of_a_file_lost_together_with_the_beginning_of_the_next_is_no_damage(disk):
    """Found by the simulator, seed 38: the older file ended clean at a sector, the newer one had survived."""
    journal = open_journal(disk)
    journal.add(b"kept", 2, 1)
    make_durable(journal)
    for number in range(6):
        journal.add(bytes([number]) * 4_000, 3 + number, 1)
    journal.flush()
    assert len(disk.names()) == 2
    data_of(disk, 0)[place_of(1, 4) :] = bytes(len(data_of(disk, 0)) - place_of(1, 4))

    journal = open_journal(disk)

    assert [command for command, _, _ in journal[:]][1:] == [b"kept"]
    assert len(disk.names()) == 1


def test_other_files_in_the_folder_are_left_alone(disk):
    write(disk, b"a")
    disk.create("notes.txt")

    assert read(disk) == [b"a"]
    assert "notes.txt" in disk.names()
