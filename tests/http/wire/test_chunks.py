"""Bodies in chunks, against the library that a whole HTTP server uses for them."""

from itertools import pairwise

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.http.wire.chunks import Chunks, NotChunks

_HEAD = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"


@st.composite
def bodies(draw):
    parts = draw(st.lists(st.binary(min_size=1, max_size=40), max_size=6))
    spelled = [b"%x" % len(part) for part in parts]
    spelled = [draw(st.sampled_from([size, size.upper(), b"000" + size, size + b";a=b"])) for size in spelled]
    chunks = b"".join(size + b"\r\n" + part + b"\r\n" for size, part in zip(spelled, parts, strict=True))
    trailer = draw(st.sampled_from([b"", b"x: y\r\n", b"x: y\r\nz: a\r\n"]))
    return b"".join(parts), chunks + b"0\r\n" + trailer + b"\r\n"


def cut(data, cuts):
    places = sorted({0, len(data), *(place % (len(data) + 1) for place in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


@given(bodies(), st.lists(st.integers(0, 1_000), max_size=12))
def test_a_body_is_whole_however_it_is_cut(body, cuts):
    whole, sent = body
    chunks = Chunks()
    assert b"".join(piece for part in cut(sent, cuts) for piece in chunks.feed(part)) == whole
    assert chunks.is_complete


@given(st.binary(max_size=40) | bodies().map(lambda body: body[1][:-3]))
def test_what_is_taken_is_what_a_whole_http_server_takes(data):
    server = h11.Connection(h11.SERVER)
    server.receive_data(_HEAD + data)
    server.next_event()
    theirs = b""
    try:
        while isinstance(event := server.next_event(), h11.Data):
            theirs += event.data
    except h11.RemoteProtocolError:
        return
    chunks = Chunks()
    try:
        ours = b"".join(chunks.feed(data))
    except NotChunks:
        return
    assert ours == theirs
    assert chunks.is_complete == isinstance(event, h11.EndOfMessage)


@pytest.mark.parametrize(
    "data", [b"-1\r\n", b"\r\n", b"x\r\n", b"0x1\r\n", b"123456789\r\n", b"1\r\nab\r\n", b"1" * 2_000]
)
def test_what_are_no_chunks_is_noticed(data):
    with pytest.raises(NotChunks):
        Chunks().feed(data)


def test_a_trailer_without_end_is_noticed():
    lines = b"x: %b\r\n" % (b"y" * 200) * 100
    with pytest.raises(NotChunks):
        Chunks().feed(b"0\r\n" + lines)


def test_what_comes_behind_the_body_is_not_kept():
    chunks = Chunks()
    assert chunks.feed(b"1\r\nx\r\n0\r\n\r\nmore") == [b"x"]
    assert chunks.feed(b"and more") == []
    assert chunks.is_complete
    assert not chunks._pending
