"""A small HTTP endpoint for Kubernetes: is the worker alive, is it ready for work, what are its figures.

GET /healthz   200 while the worker runs; 503 when the server has not answered for a lease's length
GET /readyz    200 while it takes new jobs; 503 when it shuts down or cannot reach the server
GET /          the figures, as JSON
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

_REQUEST_BYTES_MAX = 8_192
_REQUEST_S_MAX = 5.0


class HealthEndpoint:
    """`look` gives the figures; `alive` and `ready` among them decide the status."""

    def __init__(self, look: Callable[[], dict[str, Any]]) -> None:
        self._look = look
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self, host: str, port: int) -> None:
        self._server = await asyncio.start_server(self._serve, host, port, limit=_REQUEST_BYTES_MAX)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_S_MAX):
                line = await reader.readline()
                while (await reader.readline()).strip():
                    """Headers say nothing we need."""
                writer.write(self._answer(line))
                await writer.drain()
        except (TimeoutError, ValueError, ConnectionError):
            """Whoever it was does not speak HTTP, or has gone."""
        finally:
            writer.close()

    def _answer(self, line: bytes) -> bytes:
        parts = line.split()
        path = parts[1].split(b"?")[0] if len(parts) > 1 else b""
        figures = self._look()
        good = {b"/": True, b"/healthz": figures["alive"], b"/readyz": figures["ready"]}.get(path)
        if good is None:
            return b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        body = json.dumps(figures).encode()
        status = b"200 OK" if good else b"503 Service Unavailable"
        head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n" % (
            status,
            len(body),
        )
        return head + b"connection: close\r\n\r\n" + body
