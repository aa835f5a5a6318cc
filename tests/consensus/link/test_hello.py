"""The greeting between nodes."""

import pytest

from corvo.consensus.link.hello import HELLO_BYTES_MAX, Hello, Stranger, check
from corvo.consensus.settings import NODE_ID_BYTES_MAX

OURS = Hello("n1", "blue")


def test_a_greeting_comes_through():
    assert Hello.decode(Hello("n2", "blue").encode()) == Hello("n2", "blue")


def test_the_longest_names_fit_into_a_greeting():
    longest = Hello("n" * NODE_ID_BYTES_MAX, "c" * NODE_ID_BYTES_MAX).encode()
    assert len(longest) <= HELLO_BYTES_MAX
    Hello.decode(longest)


@pytest.mark.parametrize(
    "data", [b"", b"\x01", b"\x94\x02\xa1c\x05\xc2", b"\xc4\x04abcd", b"\x92\x02\xa1c", b"\xff" * 50]
)
def test_anything_else_is_a_stranger(data):
    with pytest.raises(Stranger, match="does not greet in our way"):
        Hello.decode(data)


def test_another_version_is_told_apart_whatever_else_it_says():
    with pytest.raises(Stranger, match="it speaks protocol 1, this node 2"):
        Hello.decode(b"\x93\x01\xa4blue\xa2n1")


def test_a_member_of_this_cluster_is_welcome():
    check(Hello("n2", "blue"), OURS)


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (Hello("n2", "red"), "n2 belongs to cluster 'red'"),
        (Hello("n2", "blue", protocol=1), "n2 speaks protocol 1, this node 2"),
    ],
)
def test_others_are_told_apart_by_a_sentence(theirs, reason):
    with pytest.raises(Stranger, match=reason):
        check(theirs, OURS)
