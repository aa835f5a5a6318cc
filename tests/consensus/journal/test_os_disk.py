"""The real disk behind the journal."""

import os

import pytest

from corvo.consensus.errors import DirectoryInUse
from corvo.consensus.journal.disk import OsDisk


@pytest.fixture
def disk(tmp_path):
    disk = OsDisk(tmp_path / "some" / "where")
    yield disk
    disk.close()


def test_the_folder_is_made_with_its_parents(disk, tmp_path):
    assert (tmp_path / "some" / "where").is_dir()
    assert disk.names() == []


def test_a_folder_is_held_by_one_process_at_a_time(disk, tmp_path):
    with pytest.raises(DirectoryInUse, match="where is in use by another process"):
        OsDisk(tmp_path / "some" / "where")

    disk._lock_fd, held = os.dup(disk._lock_fd), disk._lock_fd
    os.close(held)
    with pytest.raises(DirectoryInUse):
        OsDisk(tmp_path / "some" / "where")


def test_pieces_are_written_one_after_the_other_however_many_there_are(disk):
    file = disk.create("a.seg")
    pieces = [b"%d," % number for number in range(3_000)]
    file.write(pieces, 10)

    assert file.read() == bytes(10) + b"".join(pieces)
    file.close()


def test_a_short_write_is_completed(disk, monkeypatch):
    file = disk.create("a.seg")
    real = os.pwritev
    monkeypatch.setattr(os, "pwritev", lambda fd, pieces, offset: real(fd, [b"".join(pieces)[:7]], offset))

    file.write([b"hello ", b"world"], 0)

    assert file.read() == b"hello world"
    file.close()


def test_room_that_is_claimed_reads_as_zeros(disk):
    file = disk.create("a.seg")
    file.preallocate(0, 5_000)
    file.write([b"x"], 0)
    file.sync()

    assert file.read() == b"x" + bytes(4_999)
    file.truncate(1)
    assert file.read() == b"x"
    file.close()


def test_files_come_and_go_by_name(disk):
    disk.create("b.seg").close()
    disk.create("a.seg").close()
    disk.sync_directory()
    assert disk.names() == ["a.seg", "b.seg"]

    disk.unlink("a.seg")

    assert disk.names() == ["b.seg"]
    with pytest.raises(FileExistsError):
        disk.create("b.seg")


def test_the_size_of_the_file_system_is_known(disk):
    assert disk.bytes_total() > 1_000_000
