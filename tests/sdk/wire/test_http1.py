"""Requests and answers of HTTP/1.1 as bytes: nothing is sent here."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo_sdk.http1 import Answer, AnswerReader, BadAnswer, headers, request


def read(*pieces, method="GET"):
    """The answer in these pieces, of which only the last completes it."""
    reader = AnswerReader(method)
    for piece in pieces[:-1]:
        assert reader.feed(piece) is None
    return reader.feed(pieces[-1])


def answer(text, body=b""):
    return "\r\n".join([*text.splitlines(), "", ""]).encode() + body


#: Also such as look like the ends of something.
BYTES = st.binary(min_size=1) | st.text("\r\n0a", min_size=1).map(str.encode)


# Asking


def test_a_request_is_one_piece():
    lines = headers({"host": "h:1", "x-mine": "1"})
    assert request("POST", "/a?b=c", lines, b"{}") == (
        b"POST /a?b=c HTTP/1.1\r\nhost: h:1\r\nx-mine: 1\r\ncontent-length: 2\r\n\r\n{}"
    )
    assert request("GET", "/a", b"", b"") == b"GET /a HTTP/1.1\r\n\r\n"
    assert request("POST", "/a", b"", b"") == b"POST /a HTTP/1.1\r\ncontent-length: 0\r\n\r\n"


def test_how_long_a_body_is_nobody_else_says():
    assert headers({"Content-Length": "7", "transfer-encoding": "chunked", "a": "b"}) == b"a: b\r\n"


@pytest.mark.parametrize("value", ["a\r\nb: c", "a\nb", "a\0", "caf\u00e9", "\u2028"])
def test_a_header_cannot_begin_another_one(value):
    with pytest.raises(ValueError, match="'key' holds characters"):
        headers({"key": value})


@pytest.mark.parametrize("target", ["/a b", "/a\r\nx: y", "/caf\u00e9"])
def test_a_target_cannot_end_its_line(target):
    with pytest.raises(ValueError, match="cannot be asked for"):
        request("GET", target, b"", b"")


# Hearing

OK = "HTTP/1.1 200 OK\n"
CHUNKED = answer(
    OK + "Transfer-Encoding: Chunked", b"3;x=y\r\nabc\r\nA \r\n01\n\n456789\r\n0\r\nt: 1\r\n\r\n"
)
MEANT = Answer(200, b"abc01\n\n456789", True)
A = Answer(200, b"a", True)
LAST_A = Answer(200, b"a", False)
GO_ON = answer("HTTP/1.1 100 Continue") + answer("HTTP/1.1 103 Early Hints\na: b")
ZIP = gzip.compress(b"a")

#: What came, and what it means.
WHOLE = {
    "length": (answer("HTTP/1.1 201 Created\nContent-Length: 3", b"abc"), Answer(201, b"abc", True)),
    "upper case": (answer(OK + "CONTENT-LENGTH:1 ", b"a"), A),
    "no reason": (answer("HTTP/1.1 200\ncontent-length: 0"), Answer(200, b"", True)),
    "chunks": (CHUNKED, MEANT),
    "no chunks": (answer(OK + "transfer-encoding: chunked", b"0\r\n\r\n"), Answer(200, b"", True)),
    "no content": (answer("HTTP/1.1 204 No Content"), Answer(204, b"", True)),
    "not modified": (answer("HTTP/1.1 304 Not Modified\ncontent-length: 9"), Answer(304, b"", True)),
    "same twice": (answer(OK + "content-length: 1, 1\ncontent-length: 1", b"a"), A),
    "last one": (answer(OK + "content-length: 1\nConnection: x, Close", b"a"), LAST_A),
    "old": (answer("HTTP/1.0 200 OK\ncontent-length: 1", b"a"), LAST_A),
    "both": (
        answer(OK + "content-length: 3\ntransfer-encoding: chunked", b"1\r\na\r\n0\r\n\r\n"),
        LAST_A,
    ),
    "go on": (GO_ON + answer(OK + "content-length: 1", b"a"), A),
    "packed": (answer(OK + f"content-encoding: gzip\ncontent-length: {len(ZIP)}", ZIP), A),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_an_answer_in_one_piece(kind):
    came, meant = WHOLE[kind]
    assert read(came) == meant


@pytest.mark.parametrize("kind", WHOLE)
@given(data=st.data())
def test_an_answer_in_any_pieces(kind, data):
    came, meant = WHOLE[kind]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(came) - 1))))
    pieces = [came[start:end] for start, end in zip([0, *cuts], [*cuts, len(came)], strict=True)]
    assert read(*pieces) == meant


@given(st.lists(BYTES, max_size=20), st.booleans(), st.data())
def test_any_body_in_any_pieces(parts, in_chunks, data):
    body = b"".join(parts)
    if in_chunks:
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
        came = answer(OK + "transfer-encoding: chunked", chunks + b"0\r\n\r\n")
    else:
        came = answer(OK + f"content-length: {len(body)}", body)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(came) - 1))))
    pieces = [came[start:end] for start, end in zip([0, *cuts], [*cuts, len(came)], strict=True)]
    assert read(*pieces) == Answer(200, body, True)


def test_a_byte_at_a_time():
    assert read(*(CHUNKED[n : n + 1] for n in range(len(CHUNKED)))) == MEANT


def test_without_a_length_the_end_is_the_end():
    head = answer(OK + "content-type: text/plain")
    assert read(head + b"a", b"bc", b"") == Answer(200, b"abc", False)
    assert read(head, b"") == Answer(200, b"", False)


def test_an_answer_to_head_has_no_body():
    assert read(answer(OK + "content-length: 7"), method="HEAD") == Answer(200, b"", True)


def test_what_comes_after_an_answer_is_not_for_the_next_one():
    came, meant = WHOLE["length"]
    assert read(came + b"H") == meant._replace(reusable=False)


@pytest.mark.parametrize(
    ("came", "why"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "does not speak"),
        (b"\x15\x03\x01", "does not speak"),
        (b"HTTP/2 200\r\n\r\n", "does not speak"),
        (answer("HTTP/1.2 200 OK"), "does not speak"),
        (answer("HTTP/1.1 2x0 OK"), "does not speak"),
        (answer("HTTP/1.1 2000 OK"), "does not speak"),
        (answer("HTTP/1.1 20"), "no status"),
        (answer("HTTP/1.1 099 Odd"), "no status"),
        (answer("HTTP/1.1 101 Switching Protocols\nupgrade: x"), "another protocol"),
        (answer(OK + "no colon"), "makes no sense"),
        (answer(OK + "a: b\n content-length: 3"), "makes no sense"),
        (answer(OK + "content-length: 3\ncontent-length: 4"), "two lengths"),
        (answer(OK + "content-length: -3"), "no number"),
        (answer(OK + "content-length: \u00b3"), "no number"),
        (answer(OK + "content-length:"), "no number"),
        (answer(OK + "content-length: " + "9" * 5_000), "no number"),
        (answer(OK + "transfer-encoding: gzip, chunked"), "nobody asked for"),
        (answer(OK + "transfer-encoding: chunked", b"x\r\n"), "no number"),
        (answer(OK + "transfer-encoding: chunked", b"-1\r\n"), "no number"),
        (answer(OK + "transfer-encoding: chunked", b"0x1\r\n"), "no number"),
        (answer(OK + "transfer-encoding: chunked", b"\r\n"), "no number"),
        (answer(OK + "transfer-encoding: chunked", b"1\r\nabc"), "does not end"),
        (answer(OK + "transfer-encoding: chunked", b"1" * 5_000), "more than"),
        (answer(OK + "content-encoding: br\ncontent-length: 1", b"a"), "nobody can read"),
        (answer(OK + "content-encoding: gzip\ncontent-length: 1", b"a"), "cannot be unpacked"),
        (b"HTTP/1.1 200 OK\ncontent-length: 0\n\n", "do not end"),
        (b"HTTP/1.1 200 OK\r\na: b\ncontent-length: 0\r\n\r\n", "do not end"),
        (b"HTTP/1.1 200 OK\r\na: " + b"b" * 70_000, "more than 65536 bytes"),
        (b"HTTP/1.1 200 OK\r\na: " + b"b" * 70_000 + b"\r\n\r\n", "more than 65536 bytes"),
        (answer(OK + "transfer-encoding: chunked", b"0\r\n" + b"a: b\r\n" * 20_000), "more than"),
    ],
)
def test_what_makes_no_sense_is_told_at_once(came, why):
    with pytest.raises(BadAnswer, match=why):
        read(came)


@pytest.mark.parametrize("kind", WHOLE)
def test_an_answer_that_breaks_off_is_none(kind):
    came, _ = WHOLE[kind]
    for end in range(1, len(came)):
        with pytest.raises(BadAnswer, match="in the middle"):
            read(came[:end], b"")


def test_nothing_is_no_answer():
    with pytest.raises(BadAnswer, match="without an answer"):
        read(b"")


@given(st.lists(st.binary(min_size=1, max_size=40)), st.sampled_from([came for came, _ in WHOLE.values()]))
def test_noise_is_an_answer_or_a_bad_one_and_never_anything_else(noise, came):
    reader = AnswerReader("GET")
    try:
        for piece in [came[: len(came) // 2], *noise, b""]:
            if reader.feed(piece) is not None:
                return
    except BadAnswer:
        """That is what it is for."""
