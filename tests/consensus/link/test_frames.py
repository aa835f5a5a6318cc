"""Frames out of a byte stream, however it is chopped up."""

import random

import pytest

from corvo.consensus.link import frames
from corvo.consensus.link.frames import FrameTooLarge, LinkFrameReader


def read_all(reader):
    return list(iter(reader.next, None))


@pytest.mark.parametrize("step", [1, 3, 7, 1_000_000])
def test_frames_come_out_whole_and_in_order(step):
    bodies = [b"", b"a", bytes(100_000), b"xyz" * 30, b""]
    stream = b"".join(piece for body in bodies for piece in frames.pieces(body))
    reader = LinkFrameReader(200_000)
    found = []
    for start in range(0, len(stream), step):
        reader.feed(stream[start : start + step])
        found += read_all(reader)
    assert found == bodies


def test_a_frame_over_the_limit_is_refused_before_it_has_arrived():
    reader = LinkFrameReader(1_000)
    reader.feed(b"\x00\x00\x03\xe9")
    with pytest.raises(FrameTooLarge, match="1001 bytes; the limit is 1000"):
        reader.next()


def test_a_large_body_is_not_copied_to_put_its_length_before_it():
    body = random.Random(1).randbytes(500_000)
    assert frames.pieces(body)[1] is body
