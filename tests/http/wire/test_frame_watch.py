"""Frames of HTTP/2, counted before they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.http.wire.hypercorn_patches.frame_watch import FloodNoticed, FrameWatch

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST, SETTINGS, PING, UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9


def frame(kind, payload=b"", flags=0, stream=1):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def still():
    return 0.0


@given(
    frames=st.lists(st.tuples(st.sampled_from([DATA, HEADERS, PING]), st.binary(max_size=300)), max_size=200),
    cuts=st.lists(st.integers(1, 400), min_size=1),
)
def test_what_is_handed_out_is_what_came_however_it_came(frames, cuts):
    wire = PREFACE + b"".join(frame(kind, payload) for kind, payload in frames)
    watch, handed, at, turn = FrameWatch(still), [], 0, 0
    while at < len(wire):
        size = cuts[turn % len(cuts)]
        handed += watch.parts(wire[at : at + size])
        at, turn = at + size, turn + 1
    assert b"".join(handed) == wire


def test_many_frames_are_handed_out_in_parts():
    parts = list(FrameWatch(still).parts(PREFACE + frame(DATA, b"x" * 20) * 100))
    assert len(parts) == 4
    assert max(map(len, parts)) <= 32 * 29 + len(PREFACE)
    requests = list(FrameWatch(still).parts(PREFACE + frame(HEADERS, b"x" * 20) * 100))
    assert len(requests) == 25


@pytest.mark.parametrize(
    "flood",
    [
        frame(PING, b"12345678"),
        frame(PING, b"12345678", flags=1),
        frame(SETTINGS),
        frame(RST, b"0000"),
        frame(PRIORITY, b"00000"),
        frame(CONTINUATION, b"x"),
        frame(DATA),
        frame(DATA, b"x"),
        frame(UPDATE, b"0001"),
        frame(99, b"x"),
    ],
    ids=[
        "ping",
        "pong",
        "settings",
        "reset",
        "priority",
        "continuation",
        "empty",
        "tiny",
        "update",
        "unknown",
    ],
)
@pytest.mark.parametrize("at_once", [1, 7, 1_000])
def test_a_flood_is_noticed_however_it_comes(flood, at_once):
    watch = FrameWatch(still)
    list(watch.parts(PREFACE))
    with pytest.raises(FloodNoticed):
        [list(watch.parts(flood * at_once)) for _ in range(3_000 // at_once)]


def test_what_a_client_needs_now_and_then_is_allowed_now_and_then():
    now = 0.0
    watch = FrameWatch(lambda: now)
    list(watch.parts(PREFACE))
    for _ in range(600):
        now += 1.0
        list(watch.parts(frame(PING, b"12345678") * 50 + frame(UPDATE, b"0001") * 150))


def test_a_client_may_take_note_of_every_piece_it_is_sent():
    watch = FrameWatch(still)
    list(watch.parts(PREFACE))
    for _ in range(5_000):
        watch.sent_a_piece()
        list(watch.parts(frame(UPDATE, b"0001") * 2))


def test_bodies_and_requests_are_no_flood():
    watch = FrameWatch(still)
    list(watch.parts(PREFACE))
    for _ in range(5_000):
        list(watch.parts(frame(HEADERS, b"x" * 30) + frame(DATA, b"x" * 40) + frame(DATA, b"", flags=1)))
