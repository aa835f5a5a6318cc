"""A server that does exactly what a test says, on real sockets; and both clients behind one face."""

import asyncio
import contextlib
import socket
import threading

import uvloop

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.retrying import NO_RETRIES
from corvo_sdk.settings import settings
from corvo_sdk.sync.connection import Connection


class Scripted:
    """Calls `serve(connection)` for each connection, in a thread of its own."""

    def __init__(self, serve):
        self._serve = serve
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Whoever waits in accept() or recv() is woken up by this, and not by close().
        for end in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._run, args=(connection,), daemon=True).start()

    def _run(self, connection):
        with connection, contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._serve(connection)


def asked(connection):
    """The next request: its target and its body. None when there is no other."""
    came = b""
    while b"\r\n\r\n" not in came:
        if not (data := connection.recv(65_536)):
            return None
        came += data
    head, _, body = came.partition(b"\r\n\r\n")
    length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
    while len(body) < length:
        body += connection.recv(1_000_000)
    return head.split(b" ")[1].decode(), body


def answer(body, *headers, status=200):
    lines = [f"HTTP/1.1 {status} Fine", f"content-length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def echo(connection):
    """Answers each request with what it asked for."""
    while came := asked(connection):
        connection.sendall(answer(came[0].encode()))


class Blocking:
    """The client for threads."""

    def __init__(self, url, **options):
        self._connection = Connection(settings(url, {"retry": NO_RETRIES, **options}))

    def send(self, call):
        return self._connection.send(call)

    def close(self):
        self._connection.close()


class OnALoop:
    """The asyncio client, on a loop that only runs when it has to, and so notices nothing meanwhile."""

    loop_factory = None

    def __init__(self, url, **options):
        self._connection = AsyncConnection(settings(url, {"retry": NO_RETRIES, **options}))
        self._runner = asyncio.Runner(loop_factory=self.loop_factory)

    def send(self, call):
        return self._runner.run(self._connection.send(call))

    def close(self):
        self._runner.run(self._connection.aclose())
        self._runner.close()


class OnUvloop(OnALoop):
    """The same on the loop that many servers run on."""

    loop_factory = staticmethod(uvloop.new_event_loop)
