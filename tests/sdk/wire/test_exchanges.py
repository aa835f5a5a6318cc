"""Requests and answers over real sockets, with servers that behave well and badly: both clients alike."""

import asyncio
import contextlib
import socket
import struct
import sys
import threading

import pytest

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import Again, Call
from corvo_sdk.errors import AnswerLost, CorvoError, Unreachable
from corvo_sdk.origin import Origin
from corvo_sdk.retrying import NO_RETRIES
from corvo_sdk.settings import settings
from tests.sdk.scripted import Blocking, OnALoop, OnUvloop, Scripted, answer, asked, echo

#: More than the system keeps for a reader who does not read.
LARGE = "x" * 8_000_000


def call(target="/", **facts):
    return Call("GET", target, bytes, again=Again.NEVER, **facts)


@pytest.fixture(params=[Blocking, OnALoop, OnUvloop])
def talk(request):
    """talk(url): a client, closed at the end."""
    with contextlib.ExitStack() as stack:

        def make(url, **options):
            client = request.param(url, **options)
            stack.callback(client.close)
            return client

        yield make


# Keeping connections


def test_one_connection_serves_many_calls(talk):
    with Scripted(echo) as server:
        client = talk(server.url)
        assert [client.send(call(f"/{n}")) for n in range(5)] == [b"/%d" % n for n in range(5)]
        assert server.connections == 1


def test_a_connection_that_the_server_closed_is_not_used(talk):
    closed = threading.Semaphore(0)

    def serve(connection):
        connection.sendall(answer(asked(connection)[0].encode()))
        connection.close()
        closed.release()

    with Scripted(serve) as server:
        client = talk(server.url)
        for n in range(3):
            assert client.send(call(f"/{n}")) == b"/%d" % n
            assert closed.acquire(timeout=20)
        assert server.connections == 3


def test_what_nobody_asked_for_is_nobodys_answer(talk):
    heard, said = threading.Event(), threading.Event()

    def serve(connection):
        connection.sendall(answer(asked(connection)[0].encode()))
        assert heard.wait(20)
        connection.sendall(answer(b"something else"))
        said.set()
        echo(connection)

    with Scripted(serve) as server:
        client = talk(server.url)
        assert client.send(call("/1")) == b"/1"
        heard.set()
        assert said.wait(20)
        assert client.send(call("/2")) == b"/2"
        assert server.connections == 2


def test_a_server_that_wants_to_close_is_not_asked_again(talk):
    def serve(connection):
        while came := asked(connection):
            connection.sendall(answer(came[0].encode(), "Connection: Close"))

    with Scripted(serve) as server:
        client = talk(server.url)
        assert [client.send(call(f"/{n}")) for n in range(3)] == [b"/0", b"/1", b"/2"]
        assert server.connections == 3


def test_a_connection_that_rested_for_long_is_not_used(talk, monkeypatch):
    monkeypatch.setattr("corvo_sdk.aio.pool.IDLE_S_MAX", 0.0)
    monkeypatch.setattr("corvo_sdk.sync.pool.IDLE_S_MAX", 0.0)
    with Scripted(echo) as server:
        client = talk(server.url)
        for _ in range(3):
            client.send(call())
        assert server.connections == 3


# Kinds of answers


@pytest.mark.parametrize(
    "text",
    [
        b"HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\n\r\nabc",
        b"HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nabc",
    ],
)
@pytest.mark.parametrize("step", [1, 1_000])
def test_answers_of_all_kinds_in_pieces(talk, text, step):
    def serve(connection):
        asked(connection)
        for start in range(0, len(text), step):
            connection.sendall(text[start : start + step])

    with Scripted(serve) as server:
        assert talk(server.url).send(call()) == b"abc"


@pytest.mark.slow
def test_a_large_request_and_a_large_answer(talk):
    def serve(connection):
        while came := asked(connection):
            connection.sendall(answer(came[1]))

    with Scripted(serve) as server:
        client = talk(server.url)
        for _ in range(2):
            came = client.send(Call("POST", "/", bytes, LARGE))
            assert came == f'"{LARGE}"'.encode()
        assert server.connections == 1


# Bad ends


@pytest.mark.parametrize(
    "text", [b"", b"HTTP/1.1 200 OK\r\ncontent-le", b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na"]
)
def test_a_server_that_dies_has_not_answered(talk, text):
    def serve(connection):
        asked(connection)
        connection.sendall(text)

    with (
        Scripted(serve) as server,
        pytest.raises(AnswerLost, match=f"no answer from {server.url}: the server hung up"),
    ):
        talk(server.url).send(call())


def test_a_server_that_breaks_the_connection_has_not_answered(talk):
    def serve(connection):
        asked(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with Scripted(serve) as server, pytest.raises(AnswerLost, match="reset"):
        talk(server.url).send(call())


def test_what_does_not_speak_http_has_not_answered(talk):
    def serve(connection):
        connection.sendall(b"220 mail.example.com ESMTP\r\n")
        asked(connection)

    with (
        Scripted(serve) as server,
        pytest.raises(AnswerLost, match=r"does not speak HTTP|before it was asked"),
    ):
        talk(server.url).send(call())


def test_a_server_that_closes_at_once_has_not_answered(talk):
    with Scripted(lambda connection: None) as server, pytest.raises(AnswerLost):
        talk(server.url, timeout=20).send(call())


def test_nobody_there_is_unreachable(talk):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(Unreachable, match=f"cannot reach http://127.0.0.1:{port}: .*111"):
        talk(f"http://127.0.0.1:{port}").send(call())


@pytest.mark.parametrize("host", ["nobody.invalid", "a..b", "x" * 70 + ".example"])
def test_a_name_that_nobody_has_is_unreachable(talk, host):
    with pytest.raises(Unreachable, match=f"cannot reach http://{host}"):
        talk(f"http://{host}").send(call())


def test_a_host_with_two_addresses_is_found_at_either(talk):
    with Scripted(echo) as server:
        port = server.url.rpartition(":")[2]
        assert talk(f"http://localhost:{port}").send(call("/1")) == b"/1"


@contextlib.contextmanager
def silence(address):
    """An address where nobody answers, and nobody refuses either."""
    with socket.create_server(address, backlog=0) as listener, contextlib.ExitStack() as stack:
        for _ in range(3):
            # The system takes one or two, and lets all others wait.
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield


@pytest.mark.skipif(sys.platform != "linux", reason="others have one loopback address")
@pytest.mark.parametrize("first", [contextlib.nullcontext, silence])
async def test_an_address_that_fails_does_not_keep_one_from_the_others(first, monkeypatch):
    async def addresses(origin):
        return ["127.0.0.2", "127.0.0.1"]

    monkeypatch.setattr("corvo_sdk.aio.reaching._addresses", addresses)
    with Scripted(echo) as server, first(("127.0.0.2", int(server.url.rpartition(":")[2]))):
        connection = AsyncConnection(settings(server.url, {"retry": NO_RETRIES}))
        assert await connection.send(call("/1")) == b"/1"
        await connection.aclose()


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_refusal_is_heard_before_all_is_sent(talk, hangs_up):
    over = threading.Event()

    def serve(connection):
        connection.recv(1_000)
        connection.sendall(answer(b'{"error": "too much"}', status=413))
        if not hangs_up:
            over.wait(20)

    with Scripted(serve) as server:
        client = talk(server.url)
        with pytest.raises(CorvoError, match="too much") as refused:
            client.send(Call("POST", "/", bytes, LARGE, again=Again.NEVER))
        assert refused.value.status == 413
        over.set()


# Time


def test_a_word_in_between_does_not_end_the_sending(talk):
    def serve(connection):
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(1)
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        left = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        size = left
        while left:
            left -= len(connection.recv(65_536))
        connection.sendall(answer(b"%d" % size))

    with Scripted(serve) as server:
        large = Call("POST", "/", bytes, body=LARGE, again=Again.NEVER)
        assert talk(server.url).send(large) == b"%d" % (len(LARGE) + 2)


def test_a_refusal_at_the_door_is_heard(talk):
    def serve(connection):
        connection.sendall(answer(b'{"error":"full","code":"UNAVAILABLE"}', status="503 Service Unavailable"))
        asked(connection)

    with Scripted(serve) as server:
        for _ in range(5):
            with pytest.raises(CorvoError, match="full"):
                talk(server.url).send(call())


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_an_address_needs_no_thread_to_be_found(loop):
    """A program may keep all of the loop's threads busy."""
    import uvloop

    async def ask(url):
        release = threading.Event()
        busy = [asyncio.create_task(asyncio.to_thread(release.wait)) for _ in range(64)]
        try:
            await asyncio.sleep(0)
            client = AsyncConnection(settings(url, {"timeout": 2.0, "retry": NO_RETRIES}))
            said = await client.send(call("/here"))
            await client.aclose()
            return said
        finally:
            release.set()
            await asyncio.gather(*busy)

    with Scripted(echo) as server:
        factory = uvloop.new_event_loop if loop == "uvloop" else asyncio.new_event_loop
        with asyncio.Runner(loop_factory=factory) as runner:
            assert runner.run(ask(server.url)) == b"/here"


async def test_a_client_that_was_forgotten_leaves_no_connection_behind(monkeypatch):
    monkeypatch.setattr("corvo_sdk.aio.pool.IDLE_S_MAX", 0.05)
    ended = threading.Event()

    def serve(connection):
        connection.sendall(answer(asked(connection)[0].encode()))
        connection.recv(1)
        ended.set()

    with Scripted(serve) as server:
        assert await AsyncConnection(settings(server.url, {})).send(call("/x")) == b"/x"
        assert await asyncio.to_thread(ended.wait, 20)


def test_a_server_that_says_nothing_is_given_up(talk):
    with Scripted(lambda connection: asked(connection) and asked(connection)) as server:
        client = talk(server.url, timeout=0.1)
        with pytest.raises(AnswerLost, match=f"no answer from {server.url}: timed out"):
            client.send(call())


def test_a_server_that_does_not_read_is_given_up(talk):
    over = threading.Event()
    with Scripted(lambda connection: over.wait(20)) as server:
        client = talk(server.url, timeout=0.2)
        with pytest.raises(AnswerLost, match="timed out"):
            client.send(Call("POST", "/", bytes, LARGE, again=Again.NEVER))
        over.set()


def test_a_server_that_was_asked_to_wait_may_wait(talk):
    def serve(connection):
        while came := asked(connection):
            threading.Event().wait(0.3)
            connection.sendall(answer(came[0].encode()))

    with Scripted(serve) as server:
        assert talk(server.url, timeout=0.1).send(call("/1", wait_s=20)) == b"/1"


@pytest.mark.slow
def test_an_answer_may_take_its_time_as_long_as_it_comes(talk):
    def serve(connection):
        asked(connection)
        for byte in answer(b"abc"):
            connection.sendall(bytes([byte]))
            threading.Event().wait(0.01)

    with Scripted(serve) as server:
        assert talk(server.url, timeout=0.2).send(call()) == b"abc"


# What is sent


@pytest.mark.parametrize(
    ("url", "host", "target"),
    [
        ("http://example.com", "example.com", "/api"),
        ("http://example.com:8080/", "example.com:8080", "/api"),
        ("http://[::1]:8080/a/b", "[::1]:8080", "/a/b/api"),
        ("http://b\u00fccher.example", "xn--bcher-kva.example", "/api"),
        ("http://h/a<b", "h", "/a%3Cb/api"),
    ],
)
def test_the_request_names_host_and_path(url, host, target):
    sent = Origin(settings(url, {})).request_of(Call("GET", "/api", bytes), b"", {})
    assert sent.startswith(f"GET {target} HTTP/1.1\r\nhost: {host}\r\n".encode())


def test_a_header_of_ones_own_counts():
    origin = Origin(settings("http://h", {"headers": {"Host": "other", "Content-Type": "text/plain"}}))
    sent = origin.request_of(Call("GET", "/", bytes, query={"a": "b c&d", "e": "\u00e9"}), b"", {})
    assert sent.startswith(
        b"GET /?a=b%20c%26d&e=%C3%A9 HTTP/1.1\r\nhost: other\r\ncontent-type: text/plain\r\n"
    )
    assert sent.lower().count(b"content-type") == sent.lower().count(b"host:") == 1


@pytest.mark.parametrize("name", ["a b", "a(b)", ""])
def test_a_name_that_no_header_can_have_is_refused(name):
    with pytest.raises(ValueError, match="header"):
        Origin(settings("http://127.0.0.1:1", {"headers": {name: "x"}}))


def test_a_key_that_cannot_be_sent_is_told_at_once(talk):
    client = talk("http://127.0.0.1:1")
    with pytest.raises(ValueError, match="'idempotency-key' holds characters"):
        client.send(Call("POST", "/", bytes, again=Again.KEYED, key="a\r\nb"))
