"""A small HTTP/1.1 client on asyncio, so that a test can talk to a node that lives in its own loop."""

import asyncio
import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import h11


class Reply:
    def __init__(
        self, status: int, headers: dict[str, str], body: bytes, pairs: list[tuple[str, str]] | None = None
    ) -> None:
        self.status = status
        self._pairs = pairs or []
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> Any:
        return self.json()["code"]

    def all_headers(self, name: str) -> list[str]:
        """Of a header that may come more than once."""
        return [value for own, value in self._pairs if own == name]

    def __repr__(self) -> str:
        return f"Reply({self.status}, {self.body[:300]!r})"


class Client:
    """A connection per request, unless `connect` is used."""

    def __init__(self, address: str, tls: Callable[[], ssl.SSLContext] | None = None, **headers: str) -> None:
        self.address = address
        self.host, _, port = address.rpartition(":")
        self.port = int(port)
        self._tls = tls
        #: Sent with every request.
        self.headers = headers

    def with_key(self, key: str, **headers: str) -> "Client":
        """A client of the same node that shows this API key."""
        return Client(self.address, self._tls, **{"X-API-Key": key} | headers)

    async def open(
        self, protocol: str = "http/1.1", **options: Any
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A socket; over TLS, on which this protocol was agreed."""
        if self._tls is None:
            return await asyncio.open_connection(self.host, self.port, **options)
        # A new one each time: others may be about to shake hands, and want another protocol.
        tls = self._tls()
        tls.set_alpn_protocols([protocol])
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=tls, **options)
        assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == protocol
        return reader, writer

    async def connect(self) -> "Connection":
        return Connection(*await self.open())

    async def request(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        connection = await self.connect()
        try:
            return await connection.request(method, path, body, **(self.headers | headers))
        finally:
            await connection.close()

    async def get(self, path: str, **headers: str) -> Reply:
        return await self.request("GET", path, **headers)

    async def post(self, path: str, body: Any = None, **headers: str) -> Reply:
        return await self.request("POST", path, body, **headers)

    # The calls tests make all the time

    async def enqueue(self, queue: str = "q", payload: Any = None, **fields: Any) -> str:
        body = {"queue": queue, "payload": payload if payload is not None else {}} | fields
        reply = await self.post("/api/v1/enqueue", body)
        assert reply.status in (200, 201), reply
        job_id: str = reply.json()["job_id"]
        return job_id

    async def fetch(self, *queues: str, **fields: Any) -> Any:
        """One job, or None."""
        reply = await self.post("/api/v1/fetch", {"queues": queues or ["q"], "timeout": 1} | fields)
        assert reply.status in (200, 204), reply
        return reply.json() if reply.status == 200 else None

    async def job(self, job_id: str) -> Any:
        return (await self.get(f"/api/v1/jobs/{job_id}")).json()


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Over TLS both sides say goodbye."""
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._h11 = h11.Connection(h11.CLIENT)

    async def request(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        await self.send(method, path, body, **headers)
        return await self.reply()

    async def send(self, method: str, path: str, body: Any = None, **headers: str) -> None:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        lines = [("host", "localhost"), ("content-length", str(len(data)))]
        lines += [(name.replace("_", "-"), value) for name, value in headers.items()]
        head = self._h11.send(h11.Request(method=method, target=path, headers=lines))
        parts = [head or b""]
        if data:
            parts.append(self._h11.send(h11.Data(data=data)) or b"")
        parts.append(self._h11.send(h11.EndOfMessage()) or b"")
        self._writer.write(b"".join(parts))
        await self._writer.drain()

    async def reply(self) -> Reply:
        head: h11.Response | None = None
        body = bytearray()
        while True:
            event = self._h11.next_event()
            if event is h11.NEED_DATA:
                self._h11.receive_data(await self._reader.read(65_536))
            elif isinstance(event, h11.Response):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                break
            elif isinstance(event, h11.ConnectionClosed):
                raise ConnectionError("the server hung up")
        assert head is not None
        if self._h11.our_state is h11.DONE and self._h11.their_state is h11.DONE:
            self._h11.start_next_cycle()
        pairs = [(name.decode(), value.decode()) for name, value in head.headers]
        return Reply(head.status_code, dict(pairs), bytes(body), pairs)

    async def close(self) -> None:
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            """The server was first."""
