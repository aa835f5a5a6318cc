"""What counts as a plain request, and that a whole HTTP server reads it the same way."""

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.http.wire.request_head import read_head

PLAIN = b"POST /api/v1/enqueue?wait=1s HTTP/1.1\r\nHost: x\r\nContent-Length: 2"


def test_a_plain_head_is_read():
    head = read_head(PLAIN + b"\r\nIdempotency-Key: \t a b \t")
    assert (head.method, head.path, head.query, head.body_bytes) == (
        "POST",
        "/api/v1/enqueue",
        b"wait=1s",
        2,
    )
    assert head.headers == {b"host": b"x", b"content-length": b"2", b"idempotency-key": b"a b"}


def test_a_body_in_chunks_has_no_length():
    assert read_head(b"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked").body_bytes is None


@pytest.mark.parametrize(
    "head",
    [
        b"POST /x HTTP/1.0\r\nHost: x",
        b"POST http://x/x HTTP/1.1\r\nHost: x",
        b"POST /%41 HTTP/1.1\r\nHost: x",
        b"POST /\xc3\xa4 HTTP/1.1\r\nHost: x",
        b"POST  /x HTTP/1.1\r\nHost: x",
        b"post /x HTTP/1.1\r\nHost: x",
        b"PRI * HTTP/2.0",
        b"POST /x HTTP/1.1\r\nContent-Length: 2",
        PLAIN + b"\r\nContent-Length: 2",
        PLAIN + b"\r\ncontent-length: 3",
        PLAIN + b"\r\nTransfer-Encoding: chunked",
        b"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked",
        PLAIN + b"\r\nExpect: 100-continue",
        PLAIN + b"\r\nConnection: close",
        PLAIN + b"\r\nConnection: Upgrade\r\nUpgrade: h2c",
        PLAIN + b"\r\n folded: x",
        PLAIN + b"\r\nname : x",
        PLAIN + b"\r\nno colon",
        PLAIN + b"\r\n: x",
        PLAIN + b"\r\nx: a\nb: c",
        PLAIN + b"\r\nx: a\rb",
        PLAIN + b"\r\nx: \x00",
        b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: -1",
        b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: +1",
        b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1_0",
        b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: \xb2",
        b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999",
        b"",
    ],
)
def test_anything_else_is_left_to_others(head):
    assert read_head(head) is None


_BYTES = st.binary(max_size=12)
_NAMES = (
    st.sampled_from([b"Host", b"Content-Length", b"Transfer-Encoding", b"X-y", b"Connection", b"Expect"])
    | _BYTES
)
_VALUES = st.sampled_from([b"x", b"0", b"7", b" 7 ", b"keep-alive", b"chunked", b"\t"]) | _BYTES
_FIELDS = st.lists(st.tuples(_NAMES, st.sampled_from([b":", b": ", b" :", b""]), _VALUES), max_size=5)
_TARGETS = st.sampled_from([b"/", b"/a?b=c", b"/a#b", b"*", b"//x", b"/a b"]) | _BYTES


@given(_TARGETS, _FIELDS, st.binary(max_size=3))
def test_a_whole_http_server_reads_every_plain_head_the_same_way(target, fields, noise):
    lines = [b"POST " + target + b" HTTP/1.1", b"Host: x", *map(b"".join, fields)]
    text = b"\r\n".join(lines) + noise
    if b"\r\n\r\n" in text + b"\r\n":
        return  # The head would end before.
    head = read_head(text)
    if head is None:
        return
    server = h11.Connection(h11.SERVER)
    sent = 0 if head.body_bytes is None else min(head.body_bytes, 100)
    server.receive_data(text + b"\r\n\r\n" + b"." * sent)
    request = server.next_event()
    assert isinstance(request, h11.Request)
    query = b"?" + head.query if b"?" in request.target else b""
    assert request.target == head.path.encode() + query
    assert dict(request.headers) == head.headers
    if head.body_bytes is None:
        assert server.next_event() is h11.NEED_DATA
        server.receive_data(b"1\r\nx\r\n0\r\n\r\n")
        assert server.next_event().data == b"x"
    elif sent:
        body = server.next_event()
        assert isinstance(body, h11.Data)
        assert len(body.data) == sent
    else:
        assert isinstance(server.next_event(), h11.EndOfMessage)
