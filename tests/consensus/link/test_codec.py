"""Messages as bytes: what is sound comes through, what is not is refused and never an accident."""

import random

import msgpack
import pytest

from corvo.consensus.link import codec
from corvo.consensus.link.codec import MESSAGE_BYTES_MAX, Malformed
from corvo.consensus.settings import COMMAND_BYTES_MAX

SOUND = {
    "append_entries": {
        "term": 3,
        "sequence": 9,
        "commit_index": 4,
        "prevLogIdx": 4,
        "prevLogTerm": 2,
        "entries": ((b"\x00abc", 5, 2), (b"\x01", 6, 3)),
    },
    "keepalive": {"term": 3},
    "next_node_idx": {
        "term": 3,
        "sequence": 9,
        "next_node_idx": 7,
        "stored_index": 3,
        "success": True,
        "reset": False,
        "is_full": False,
    },
    "pre_vote": {"term": 4, "round": 1, "last_log_index": 5, "last_log_term": 3},
    "pre_vote_ok": {"round": 1},
    "stale_term": {"term": 5},
    "request_vote": {"term": 4, "last_log_index": 5, "last_log_term": 3},
    "response_vote": {"term": 4},
    "timeout_now": {"term": 4},
    "mail": {"piece": b"hello", "is_last": True},
    "snapshot_chunk": {"term": 4, "transfer": 1, "number": 0, "checksum": 0, "chunk": b"x", "is_last": False},
    "snapshot_reply": {"term": 4, "transfer": 1, "number": 0, "success": True, "installed_index": None},
}


def sound(kind, **changes):
    return {"type": kind, **SOUND[kind], **changes}


def test_every_message_has_an_example():
    assert SOUND.keys() == codec.MESSAGE_TYPES


@pytest.mark.parametrize("kind", sorted(SOUND))
def test_a_message_comes_through_as_it_was(kind):
    assert codec.decode(codec.encode(sound(kind))) == sound(kind)


@pytest.mark.parametrize("kind", sorted(SOUND))
@pytest.mark.parametrize("value", ["text", -1, 2**63, 1.5, None, True, b"bytes", [], {}, [[1]]])
def test_a_field_of_the_wrong_type_is_refused(kind, value):
    for name in SOUND[kind]:
        if type(SOUND[kind][name]) is type(value) or (name, value) in (
            ("installed_index", None),
            ("chunk", b"bytes"),
        ):
            continue
        if name == "entries" and value == []:
            continue  # No entries: a heartbeat.
        message = {"type": kind, **SOUND[kind], name: value}
        with pytest.raises(Malformed):
            codec.decode(msgpack.packb(message))


@pytest.mark.parametrize("kind", sorted(SOUND))
def test_a_missing_or_an_extra_field_is_refused(kind):
    for name in SOUND[kind]:
        message = sound(kind)
        del message[name]
        with pytest.raises(Malformed, match="wrong fields"):
            codec.decode(codec.encode(message))
    with pytest.raises(Malformed, match="wrong fields"):
        codec.decode(codec.encode(sound(kind, extra=1)))


@pytest.mark.parametrize(
    "entries",
    [
        ((b"", 6, 2),),  # Does not continue.
        ((b"", 5, 2), (b"", 5, 2)),
        ((b"", 5, 4),),  # From a later term than the leader's own.
        ((b"", 5, 3), (b"", 6, 2)),  # Terms never fall.
        ((b"", 5, 1),),
        ((b"", 5),),
        (("text", 5, 2),),
        (5,),
    ],
)
def test_entries_out_of_order_are_refused(entries):
    with pytest.raises(Malformed):
        codec.decode(codec.encode(sound("append_entries", entries=entries)))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        msgpack.packb([1, 2]),
        msgpack.packb({"type": "apply_command", "command": b"x"}),
        msgpack.packb({"type": ["append_entries"]}),
        msgpack.packb({1: 2}),
        msgpack.packb({"type": "keepalive", "term": 1}) + b"more",
        msgpack.packb({"type": "keepalive", "term": msgpack.ExtType(4, b"x")}),
        msgpack.packb({"type": "keepalive", "term": msgpack.Timestamp(1)}),
        b"\xdf\xff\xff\xff\xff",  # A map of four thousand million.
        b"\xdd\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\x91" * 10_000,
        b"\x80\x04\x95",  # The beginning of a pickle.
    ],
)
def test_what_is_no_message_is_refused(data):
    with pytest.raises(Malformed):
        codec.decode(data)


def test_random_bytes_are_refused_and_nothing_worse():
    chance = random.Random(7)
    template = codec.encode(sound("append_entries"))
    for _ in range(3_000):
        data = bytearray(template)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            codec.decode(bytes(data))
        except Malformed:
            continue


def test_the_largest_entry_fits_into_the_largest_message():
    largest = codec.encode(sound("append_entries", entries=((bytes(COMMAND_BYTES_MAX + 1), 5, 2),)))
    assert len(largest) <= MESSAGE_BYTES_MAX
    codec.decode(largest)
