"""The link between a node and an edge process, both ends in this process: frames, windows, who is gone."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.http.edges.edge_app import EdgeApp
from corvo.http.edges.frames import (
    WINDOW_BYTES,
    BodyFrame,
    EdgeFrameReader,
    GoneFrame,
    RequestFrame,
    ResponseFrame,
    TakenFrame,
    append,
)
from corvo.http.edges.link import EdgeLink
from corvo.http.edges.node_end import NodeEnd
from corvo.http.edges.processes import _SETTINGS
from corvo.http.wire.protocols import AnswerBroken
from tests.support.node import until

SCOPE = {
    "type": "http",
    "http_version": "1.1",
    "method": "POST",
    "path": "/x",
    "raw_path": b"/x",
    "query_string": b"a=1",
    "headers": [(b"content-length", b"3")],
}
OPEN_ENDED = SCOPE | {"headers": []}


@given(
    st.lists(
        st.one_of(
            st.builds(BodyFrame, st.integers(0, 9), st.binary(max_size=300), st.booleans()),
            st.builds(TakenFrame, st.integers(0, 9), st.integers(0, 1 << 40)),
            st.builds(GoneFrame, st.integers(0, 9)),
            st.builds(
                ResponseFrame,
                st.integers(0, 9),
                st.integers(100, 599),
                st.lists(st.tuples(st.binary(), st.binary())),
                st.binary(),
                st.booleans(),
            ),
        )
    ),
    st.integers(1, 200),
)
def test_frames_come_out_as_they_went_in_however_they_are_cut(frames, size):
    out = bytearray()
    for frame in frames:
        append(frame, out)
    reader = EdgeFrameReader()
    heard = [frame for at in range(0, len(out), size) for frame in reader.feed(bytes(out[at : at + size]))]
    assert heard == frames


def test_an_edge_process_is_not_told_the_secrets_of_the_cluster():
    # The files of its own certificate it has to find.
    named = [name for name in _SETTINGS if not name.startswith("tls_")]
    assert not [name for name in named if "secret" in name or "key" in name or "cert" in name]


class Alone:
    """A bare application, which has no hot routes and is never told to stop."""

    hot_routes = None

    def __init__(self, app):
        self._app = app

    async def __call__(self, scope, receive, send):
        await self._app(scope, receive, send)


class Both:
    """An application behind a link, called through it."""

    def __init__(self, app):
        self.relay = EdgeApp()
        self.counter = NodeEnd(app)
        self.edge: EdgeLink
        self.node: EdgeLink
        self.heard_by_node = []

    def _node_heard(self, frame):
        self.heard_by_node.append(frame)
        self.counter.heard(frame)


@asynccontextmanager
async def linked(app):
    both = Both(Alone(app))
    ours, theirs = socket.socketpair()
    both.node = await EdgeLink.on(ours, both._node_heard, both.counter.lost)
    both.edge = await EdgeLink.on(theirs, both.relay.heard, both.relay.lost)
    both.counter.connect(both.node)
    both.relay.connect(both.edge)
    try:
        yield both
    finally:
        both.edge.close()
        await until(lambda: both.node.is_closed)


class Caller:
    """A client's side of an ASGI call."""

    def __init__(self, *messages):
        self.messages = asyncio.Queue()
        for message in messages:
            self.messages.put_nowait(message)
        self.sent = []
        self.may_send = asyncio.Event()
        self.may_send.set()

    async def receive(self):
        return await self.messages.get()

    async def send(self, message):
        await self.may_send.wait()
        self.sent.append(message)

    @property
    def body(self):
        return b"".join(message.get("body", b"") for message in self.sent)


def piece(body, more=False):
    return {"type": "http.request", "body": body, "more_body": more}


async def echo(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", scope["query_string"])]})
    more = True
    while more:
        message = await receive()
        more = message["more_body"]
        await send({"type": "http.response.body", "body": message["body"], "more_body": more})


async def test_a_request_with_its_body_is_one_frame_and_so_is_its_answer():
    async with linked(echo) as both:
        # Hypercorn says only in a second message that there is nothing more.
        caller = Caller(piece(b"abc", more=True))
        await both.relay(SCOPE, caller.receive, caller.send)
        assert caller.sent == [
            {"type": "http.response.start", "status": 200, "headers": [(b"x", b"a=1")]},
            {"type": "http.response.body", "body": b"abc", "more_body": False},
        ]
        (ask,) = both.heard_by_node
        assert isinstance(ask, RequestFrame)
        assert (ask.body, ask.more) == (b"abc", False)


async def test_many_requests_at_once_travel_together():
    writes = []
    async with linked(echo) as both:
        write = both.edge._transport.write
        both.edge._transport = _Spy(both.edge._transport, write, writes)
        callers = [Caller(piece(b"%03d" % number)) for number in range(100)]
        await asyncio.gather(*(both.relay(SCOPE, caller.receive, caller.send) for caller in callers))
        assert [caller.body for caller in callers] == [b"%03d" % number for number in range(100)]
        asks = sum(isinstance(frame, RequestFrame) for frame in both.heard_by_node)
        assert (asks, len(writes)) == (100, 1)
        both.edge._transport = both.edge._transport.inner


class _Spy:
    def __init__(self, inner, write, writes):
        self.inner = inner
        self._write = write
        self._writes = writes

    def write(self, data):
        self._writes.append(len(data))
        self._write(data)


async def test_an_answer_waits_for_a_client_that_does_not_read():
    size = 64 * 1024
    said = 0

    async def flood(scope, receive, send):
        nonlocal said
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(100):
            await send({"type": "http.response.body", "body": bytes(size), "more_body": number < 99})
            said += 1

    async with linked(flood) as both:
        stuck, quick = Caller(piece(b"")), Caller(piece(b""))
        stuck.may_send.clear()
        waiting = asyncio.create_task(both.relay(OPEN_ENDED, stuck.receive, stuck.send))
        await until(lambda: said * size >= WINDOW_BYTES - size)
        # Another goes all the way meanwhile, and the first stays where it is.
        await both.relay(OPEN_ENDED, quick.receive, quick.send)
        assert len(quick.body) == 100 * size
        assert (said - 100) * size <= WINDOW_BYTES
        stuck.may_send.set()
        await waiting
        assert len(stuck.body) == 100 * size


async def test_a_body_waits_for_a_handler_that_does_not_read():
    size = 64 * 1024
    read = asyncio.Event()

    async def patient(scope, receive, send):
        await read.wait()
        total, more = 0, True
        while more:
            message = await receive()
            total, more = total + len(message["body"]), message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % total})

    async with linked(patient) as both:
        caller = Caller(*(piece(bytes(size), more=number < 99) for number in range(100)))
        calling = asyncio.create_task(both.relay(OPEN_ENDED, caller.receive, caller.send))
        await until(lambda: sum(len(f.body) for f in both.heard_by_node) >= WINDOW_BYTES)
        await asyncio.sleep(0)
        assert sum(len(f.body) for f in both.heard_by_node) <= WINDOW_BYTES + size
        read.set()
        await calling
        assert caller.body == b"%d" % (100 * size)


async def test_who_hangs_up_is_gone_at_the_node_and_leaves_nothing_behind():
    heard = []

    async def wait(scope, receive, send):
        while (message := await receive())["type"] != "http.disconnect":
            heard.append(message["body"])
        heard.append("gone")

    async with linked(wait) as both:
        caller = Caller(piece(b"line", more=True), {"type": "http.disconnect"})
        await both.relay(OPEN_ENDED, caller.receive, caller.send)
        await until(lambda: heard == [b"line", "gone"])
        assert caller.sent == []
        assert both.relay._exchanges == {}
        await until(lambda: both.counter._calls == {})


async def test_an_application_that_fails_breaks_the_connection():
    async def fail(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError("as planned")

    async with linked(fail) as both:
        caller = Caller(piece(b"abc"))
        with pytest.raises(AnswerBroken):
            await both.relay(SCOPE, caller.receive, caller.send)
        assert caller.body == b"half"
        assert "more_body" not in caller.sent[-1] or caller.sent[-1]["more_body"]


@pytest.mark.parametrize("side", ["edge", "node"])
async def test_when_the_link_breaks_everybody_is_told(side):
    gone = asyncio.Event()

    async def wait(scope, receive, send):
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async with linked(wait) as both:
        caller = Caller(piece(b"abc"))
        calling = asyncio.create_task(both.relay(SCOPE, caller.receive, caller.send))
        await until(lambda: both.heard_by_node)
        getattr(both, side)._transport.abort()
        with pytest.raises(AnswerBroken):
            await calling
        async with asyncio.timeout(5):
            await gone.wait()


async def test_what_cannot_be_understood_ends_the_link():
    async with linked(echo) as both:
        both.edge._transport.write(b"\x04\x00\x00\x00nope")
        await until(lambda: both.node.is_closed)
