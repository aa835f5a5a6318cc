"""Somebody who receives webhooks: a real HTTP server on loopback that does what a test tells it to."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import h11


class Received:
    def __init__(self, request: h11.Request, body: bytes, connection: int) -> None:
        self.path = request.target.decode()
        self.headers = {name.decode(): value.decode() for name, value in request.headers}
        self.body = body
        self.connection = connection

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def event(self) -> Any:
        return self.json()["event"]


class Receiver:
    def __init__(self) -> None:
        self.got: list[Received] = []
        #: What to answer to the next ones: a status, or "hang" or "cut". When it runs out, `usual`.
        self.plan: list[Any] = []
        self.usual: Any = 200
        self.headers: list[tuple[str, str]] = []
        self.answer_body = b"thanks"
        self.connections = 0
        self.port = 0
        self.scheme = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook"

    @property
    def seqs(self) -> list[int]:
        return [received.event["seq"] for received in self.got]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        http = h11.Connection(h11.SERVER)
        try:
            while await self._answer(http, reader, writer, number):
                http.start_next_cycle()
        except (ConnectionError, h11.RemoteProtocolError, asyncio.CancelledError):
            """The sender has gone, or the test is over."""
        finally:
            writer.close()

    async def _answer(
        self, http: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> bool:
        request = None
        body = b""
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                http.receive_data(await reader.read(65_536))
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                break
            else:
                return False
        assert request is not None
        self.got.append(Received(request, body, number))
        what = self.plan.pop(0) if self.plan else self.usual
        if what == "cut":
            return False
        if what == "hang":
            await reader.read(1)
            return False
        lines = [("Content-Length", str(len(self.answer_body))), *self.headers]
        parts = [
            http.send(h11.Response(status_code=what, headers=lines)),
            http.send(h11.Data(data=self.answer_body)),
            http.send(h11.EndOfMessage()),
        ]
        writer.write(b"".join(part or b"" for part in parts))
        await writer.drain()
        return http.our_state is h11.DONE and http.their_state is h11.DONE


@asynccontextmanager
async def receiving(tls: ssl.SSLContext | None = None, port: int = 0) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        await receiver._serve(reader, writer)

    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    receiver.scheme = "http" if tls is None else "https"
    try:
        yield receiver
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
