"""The fields of an answer, as pairs and as lines."""

from hypothesis import given
from hypothesis import strategies as st

from corvo.http.wire.message import Response
from corvo.http.wire.response_headers import ResponseHeaders, spell

names = st.sampled_from([b"retry-after", b"idempotency-replayed", b"x-100%"])


@given(
    origins=st.sampled_from(
        [[], ["*"], ["https://a.example"], ["https://b.example", "https://100%.example"]]
    ),
    status=st.sampled_from([200, 201, 204, 409]),
    body=st.binary(max_size=20),
    content_type=st.sampled_from([b"application/json", b"text/plain; x=%d", b"text/html"]),
    index=st.none() | st.integers(1, 1 << 60),
    extra=st.lists(st.tuples(names, st.just(b"50%"))),
    asked_by=st.sampled_from([None, b"https://a.example", b"https://100%.example", b"null"]),
)
def test_lines_say_what_pairs_say(origins, status, body, content_type, index, extra, asked_by):
    fields = ResponseHeaders(origins)
    response = Response(status, body, content_type, index=index, headers=extra)
    asked = {} if asked_by is None else {b"origin": asked_by}
    is_listed = asked_by is not None and asked_by.decode() in origins
    allowed = b"*" if origins == ["*"] and asked_by is not None else asked_by if is_listed else None
    # Twice: the second time the shape is known.
    for duration_ms in (1.5, 0.25):
        pairs = fields.pairs(response, asked, duration_ms)
        assert fields.lines(response, asked, duration_ms) == spell(pairs)
        found = dict(pairs)
        assert found[b"server-timing"] == b"proc;dur=%.3f" % duration_ms
        assert found.get(b"content-length") == (None if status == 204 else b"%d" % len(body))
        assert found.get(b"content-type") == (None if status == 204 else content_type)
        assert found.get(b"x-corvo-index") == (None if index is None else b"%d" % index)
        assert found.get(b"access-control-allow-origin") == allowed
        assert (b"access-control-allow-methods" in found) == (allowed is not None)
        assert (b"access-control-allow-credentials" in found) == is_listed
        assert (b"content-security-policy" in found) == (status != 204 and content_type == b"text/html")
        assert found[b"x-content-type-options"] == b"nosniff"
        assert pairs[len(pairs) - len(extra) :] == extra


async def test_a_stream_has_no_length():
    async def nothing():
        yield b""

    pairs = ResponseHeaders([]).pairs(Response(200, stream=nothing()), {}, 1.0)
    assert b"content-length" not in dict(pairs)
