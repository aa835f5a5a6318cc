"""The simulated disk forgets what a real one may, and nothing else."""

import random

import pytest

from tests.sim.disk import SECTOR, SimDisk


@pytest.fixture
def disk():
    return SimDisk()


def cut_power(disk, seed):
    disk.lose_power(random.Random(seed))


@pytest.mark.parametrize("seed", range(20))
def test_what_was_synced_survives(disk, seed):
    file = disk.create("a")
    file.write([b"x" * 3_000], 0)
    file.sync()
    disk.sync_directory()
    file.write([b"y" * 3_000], 3_000)

    cut_power(disk, seed)

    assert disk.open("a").read()[:3_000] == b"x" * 3_000


def test_what_was_not_synced_may_be_lost_in_any_order(disk):
    pictures = set()
    for seed in range(50):
        disk = SimDisk()
        file = disk.create("a")
        file.preallocate(0, 4 * SECTOR)
        file.sync()
        disk.sync_directory()
        file.write([b"x" * 4 * SECTOR], 0)
        cut_power(disk, seed)
        data = disk.open("a").read()
        pictures.add(tuple(data[start] for start in range(0, 4 * SECTOR, SECTOR)))

    assert (0, 0, 0, 0) in pictures
    assert (120, 120, 120, 120) in pictures
    assert any(picture[0] == 0 and picture[3] == 120 for picture in pictures)


def test_a_name_is_not_safe_before_the_folder_is_synced(disk):
    outcomes = set()
    for seed in range(20):
        disk = SimDisk()
        disk.create("a").sync()
        cut_power(disk, seed)
        outcomes.add("a" in disk.names())
    assert outcomes == {True, False}


def test_an_unlinked_file_may_come_back(disk):
    outcomes = set()
    for seed in range(20):
        disk = SimDisk()
        disk.create("a").sync()
        disk.sync_directory()
        disk.unlink("a")
        cut_power(disk, seed)
        outcomes.add("a" in disk.names())
    assert outcomes == {True, False}


def test_a_full_disk_still_takes_what_was_set_aside(disk):
    file = disk.create("a")
    file.preallocate(0, 1_000)
    disk.is_full = True

    file.write([b"x" * 1_000], 0)
    with pytest.raises(OSError, match="full"):
        file.write([b"x"], 1_000)
    with pytest.raises(OSError, match="full"):
        file.preallocate(0, 2_000)
