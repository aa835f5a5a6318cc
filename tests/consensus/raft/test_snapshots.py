"""State for a follower that is too far behind: chunk by chunk, complete or not at all."""

import zlib

import pytest

from corvo.consensus.api import Position
from corvo.consensus.raft.snapshot_in import ChunkRefused, IncomingSnapshot
from corvo.consensus.raft.snapshot_out import CHUNKS_IN_FLIGHT_MAX, OutgoingSnapshot
from tests.consensus.doubles import Recorder, messages_of

# The leader's end


def test_chunks_are_numbered_summed_and_end_with_an_empty_one():
    messages = messages_of([b"one", b"two"])

    assert [m["chunk"] for m in messages] == [b"one", b"two", b""]
    assert [m["number"] for m in messages] == [0, 1, 2]
    assert [m["is_last"] for m in messages] == [False, False, True]
    assert messages[-1]["checksum"] == zlib.crc32(b"onetwo")


def test_chunks_are_pulled_only_as_fast_as_they_are_acknowledged():
    pulled = []

    def chunks():
        for number in range(100):
            pulled.append(number)
            yield b"x"

    snapshot = OutgoingSnapshot(1, chunks(), floor_index=1)
    while snapshot.next_message(1) is not None:
        assert snapshot.has_more or len(pulled) == CHUNKS_IN_FLIGHT_MAX
    assert len(pulled) == CHUNKS_IN_FLIGHT_MAX

    snapshot.acknowledged(0)
    snapshot.next_message(1)
    assert len(pulled) == CHUNKS_IN_FLIGHT_MAX + 1


def test_breaking_off_lets_go_of_the_state_machine():
    closed = []

    def chunks():
        try:
            yield b"x"
            yield b"y"
        finally:
            closed.append(True)

    snapshot = OutgoingSnapshot(1, chunks(), floor_index=1)
    snapshot.next_message(1)
    snapshot.close()

    assert closed == [True]


# The follower's end


@pytest.fixture
def machine():
    return Recorder()


@pytest.fixture
def incoming(machine):
    return IncomingSnapshot(machine)


def test_a_whole_transfer_is_stored_and_finished(incoming, machine):
    first, *rest = messages_of([b"one", b"two"])
    incoming.take("a", first)
    machine.sinks[0].result = Position(9, 2)

    assert [incoming.take("a", message) for message in rest] == [None, Position(9, 2)]
    assert machine.sinks[0].chunks == [b"one", b"two"]


def test_a_chunk_that_went_missing_ends_the_transfer(incoming, machine):
    first, _, third, _ = messages_of([b"one", b"two", b"three"])
    incoming.take("a", first)

    with pytest.raises(ChunkRefused, match="chunk 2 does not continue"):
        incoming.take("a", third)


def test_an_altered_chunk_ends_the_transfer(incoming, machine):
    first, second, _ = messages_of([b"one", b"two"])
    incoming.take("a", first)

    with pytest.raises(ChunkRefused, match="altered on the way"):
        incoming.take("a", {**second, "chunk": b"TWO"})

    assert machine.sinks[0].is_aborted
    with pytest.raises(ChunkRefused):
        incoming.take("a", second)


def test_chunks_of_another_transfer_are_not_mixed_in(incoming):
    first, _, _ = messages_of([b"one", b"two"])
    _, other, _ = messages_of([b"one", b"two"], number=2)
    incoming.take("a", first)

    with pytest.raises(ChunkRefused):
        incoming.take("a", other)
    with pytest.raises(ChunkRefused):
        incoming.take("b", messages_of([b"one", b"two"])[1])


def test_a_new_transfer_replaces_the_old(incoming, machine):
    incoming.take("a", messages_of([b"one"])[0])
    for message in messages_of([b"new"], number=2):
        incoming.take("a", message)

    assert [sink.is_aborted for sink in machine.sinks] == [True, False]
    assert machine.sinks[1].chunks == [b"new"]


def test_a_chunk_that_comes_again_on_the_next_connection_is_stored_once(incoming, machine):
    first, second, last = messages_of([b"one", b"two"])
    for message in (first, second, first, second):
        assert incoming.take("a", message) is None
    machine.sinks[0].result = Position(9, 2)

    assert incoming.take("a", last) == Position(9, 2)
    assert machine.sinks[0].chunks == [b"one", b"two"]
    assert len(machine.sinks) == 1


def test_a_leader_of_another_term_does_not_continue_what_the_last_one_began(incoming, machine):
    first, second, _ = messages_of([b"one", b"two"])
    incoming.take("a", first)

    with pytest.raises(ChunkRefused):
        incoming.take("a", {**second, "term": 2})
    incoming.take("a", {**first, "term": 2})
    assert [sink.is_aborted for sink in machine.sinks] == [True, False]


def test_a_snapshot_that_cannot_be_stored_is_refused_not_fatal(incoming, machine):
    first, second, _ = messages_of([b"one", b"two"])
    incoming.take("a", first)
    machine.sinks[0].raises = OSError(28, "full")

    with pytest.raises(ChunkRefused, match="cannot be stored"):
        incoming.take("a", second)
    assert machine.sinks[0].is_aborted
