"""The fields of an answer, as pairs and as lines."""

from hypothesis import given
from hypothesis import strategies as st

from corvo.http.wire.message import Response
from corvo.http.wire.response_headers import ResponseHeaders, spell

names = st.sampled_from([b"retry-after", b"idempotency-replayed", b"x-100%"])


@given(
    origin=st.sampled_from(["", "*", "https://100%.example"]),
    status=st.sampled_from([200, 201, 204, 409]),
    body=st.binary(max_size=20),
    content_type=st.sampled_from([b"application/json", b"text/plain; x=%d"]),
    index=st.none() | st.integers(1, 1 << 60),
    extra=st.lists(st.tuples(names, st.just(b"50%"))),
    asked_by_a_page=st.booleans(),
)
def test_lines_say_what_pairs_say(origin, status, body, content_type, index, extra, asked_by_a_page):
    fields = ResponseHeaders(origin)
    response = Response(status, body, content_type, index=index, headers=extra)
    asked = {b"origin": b"https://a.example"} if asked_by_a_page else {}
    # Twice: the second time the shape is known.
    for duration_ms in (1.5, 0.25):
        pairs = fields.pairs(response, asked, duration_ms)
        assert fields.lines(response, asked, duration_ms) == spell(pairs)
        found = dict(pairs)
        assert found[b"server-timing"] == b"proc;dur=%.3f" % duration_ms
        assert found.get(b"content-length") == (None if status == 204 else b"%d" % len(body))
        assert found.get(b"content-type") == (None if status == 204 else content_type)
        assert found.get(b"x-corvo-index") == (None if index is None else b"%d" % index)
        assert found.get(b"access-control-allow-origin") == (origin.encode() or None)
        assert (b"access-control-allow-methods" in found) == bool(origin and asked_by_a_page)
        assert pairs[len(pairs) - len(extra) :] == extra


async def test_a_stream_has_no_length():
    async def nothing():
        yield b""

    pairs = ResponseHeaders("").pairs(Response(200, stream=nothing()), {}, 1.0)
    assert [name for name, _ in pairs] == [b"server-timing", b"content-type"]
