"""A store as a stream of chunks, and back: whatever its records weigh."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.consensus.settings import CHUNK_BYTES_MAX
from corvo.storage.memory import MemoryKv
from corvo.storage.snapshot import SnapshotIncomplete, SnapshotWriter, chunks

SIZES = st.one_of(st.integers(0, 300), st.integers(60_000, 300_000))


def store_of(values):
    kv = MemoryKv()
    kv.write({b"k%08d" % number: value for number, value in enumerate(values)}, sync=False)
    return kv


def contents(kv):
    return dict(kv.scan(b"\0", b"\xff"))


def copied(kv):
    copy = MemoryKv()
    writer = SnapshotWriter(copy)
    for chunk in chunks(kv.snapshot()):
        assert len(chunk) <= CHUNK_BYTES_MAX
        writer.write(chunk)
    writer.finish()
    return copy


@given(st.lists(SIZES, max_size=12))
def test_any_records_go_through_in_chunks_that_the_link_takes(sizes):
    kv = store_of([bytes([number]) * size for number, size in enumerate(sizes)])
    assert contents(copied(kv)) == contents(kv)


@pytest.mark.parametrize("size", [0, 192 * 1024, 256 * 1024, 256 * 1024 + 1, 3_000_000])
def test_one_large_record_goes_through(size):
    kv = store_of([b"a", b"x" * size, b"b"])
    assert contents(copied(kv)) == contents(kv)


def test_very_many_small_records_stay_below_the_limit():
    kv = store_of([b""] * 60_000)
    assert contents(copied(kv)) == contents(kv)


def test_a_stream_that_ends_within_a_record_is_not_complete():
    writer = SnapshotWriter(MemoryKv())
    writer.write(next(iter(chunks(store_of([b"x" * 1_000_000]).snapshot()))))
    with pytest.raises(SnapshotIncomplete):
        writer.finish()
