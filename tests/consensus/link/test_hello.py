"""The greeting between nodes."""

from dataclasses import replace

import msgpack
import pytest

from corvo.consensus.identity import NodeIdentity
from corvo.consensus.link.hello import (
    HELLO_BYTES_MAX,
    PROTOCOL_WITHOUT_KEYS,
    Hello,
    Stranger,
    check,
)
from corvo.consensus.settings import NODE_ID_BYTES_MAX
from corvo.core.hosts import NODE_ID_CHARS_MAX

OURS = Hello("n1", "blue")
IDENTITY = NodeIdentity.generate()
TRANSCRIPT = b"t" * 32


def test_a_greeting_comes_through():
    assert Hello.decode(Hello("n2", "blue").encode()) == Hello("n2", "blue")
    signed = Hello("n2", "blue").signed(IDENTITY, TRANSCRIPT, is_dialler=True)
    assert Hello.decode(signed.encode()) == signed


def test_a_greeting_from_before_keys_is_read_and_written_as_it_was():
    old = Hello("n1", "corvo", protocol=PROTOCOL_WITHOUT_KEYS)
    assert old.encode() == bytes.fromhex("94 02 a5 63 6f 72 76 6f a2 6e 31 c2")
    assert Hello.decode(old.encode()) == old


def test_the_longest_names_fit_into_a_greeting():
    longest = Hello("n" * NODE_ID_CHARS_MAX, "c" * NODE_ID_BYTES_MAX)
    longest = longest.signed(IDENTITY, TRANSCRIPT, is_dialler=True)
    assert len(longest.encode()) <= HELLO_BYTES_MAX
    assert Hello.decode(longest.encode()) == longest


@pytest.mark.parametrize(
    "data", [b"", b"\x01", b"\x94\x02\xa1c\x05\xc2", b"\xc4\x04abcd", b"\x92\x02\xa1c", b"\xff" * 50]
)
def test_anything_else_is_a_stranger(data):
    with pytest.raises(Stranger, match="does not greet in our way"):
        Hello.decode(data)


@pytest.mark.parametrize(
    "node_id", ["", "n 1", "n1\n", "../n1", "-n1", "n" * 65, "n\u00e4", "<b>", "n1\x00", "$(id)"]
)
@pytest.mark.parametrize("protocol", [2, 3])
def test_what_cannot_be_the_id_of_a_node_is_not_taken_for_one(node_id, protocol):
    proof = [b"", b""] if protocol == 3 else []
    with pytest.raises(Stranger, match="cannot be one"):
        Hello.decode(msgpack.packb([protocol, "blue", node_id, False, *proof]))


def test_another_version_is_told_apart_whatever_else_it_says():
    with pytest.raises(Stranger, match="it speaks protocol 1, this node 3"):
        Hello.decode(b"\x93\x01\xa4blue\xa2n1")
    with pytest.raises(Stranger, match="it speaks protocol 4, this node 3"):
        Hello.decode(msgpack.packb([4, "blue", "n2", False, b"", b"", "something new"]))


def test_a_member_of_this_cluster_is_welcome_and_one_of_another_is_not():
    check(Hello("n2", "blue"), OURS)
    with pytest.raises(Stranger, match="n2 belongs to cluster 'red'"):
        check(Hello("n2", "red"), OURS)


def test_a_signature_proves_the_greeting_on_its_own_connection_and_side():
    hello = Hello("n2", "blue").signed(IDENTITY, TRANSCRIPT, is_dialler=True)
    assert hello.is_proven(TRANSCRIPT, is_dialler=True)
    assert not hello.is_proven(b"u" * 32, is_dialler=True)
    assert not hello.is_proven(TRANSCRIPT, is_dialler=False)


@pytest.mark.parametrize(
    "change",
    [
        {"node_id": "n3"},
        {"cluster_id": "red"},
        {"is_visitor": True},
        {"key": NodeIdentity.generate().public},
        {"key": b""},
        {"signature": b""},
        {"signature": bytes(64)},
    ],
)
def test_nothing_in_a_signed_greeting_can_be_changed(change):
    hello = Hello("n2", "blue").signed(IDENTITY, TRANSCRIPT, is_dialler=True)
    assert not replace(hello, **change).is_proven(TRANSCRIPT, is_dialler=True)
