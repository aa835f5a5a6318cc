"""A healthy client of a node under attack: how long its requests take, and whether they are answered."""

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Between two requests: a client that is always there and never in a hurry.
_PAUSE_S: Final = 0.005
_PATIENCE_S: Final = 30.0


class HealthyClient:
    """Enqueues, looks at jobs and asks for the health, over one connection that it opens anew if it must."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.took_s: list[float] = []
        self.errors = 0
        self._wire: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        body = json.dumps({"queue": "healthy", "payload": {"n": 1}}).encode()
        enqueue = _head("POST", "/api/v1/enqueue", len(body)) + body
        requests = (enqueue, _head("GET", "/api/v1/jobs/job_none", 0), enqueue, _head("GET", "/healthz", 0))
        number = 0
        while time.monotonic() < end:
            began = time.monotonic()
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    await self._ask(requests[number % len(requests)])
                self.took_s.append(time.monotonic() - began)
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                self.errors += 1
                self._hang_up()
            number += 1
            await asyncio.sleep(_PAUSE_S)
        self._hang_up()

    def percentile_ms(self, share: float) -> float:
        ordered = sorted(self.took_s)
        return 1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("inf")

    async def _ask(self, request: bytes) -> None:
        if self._wire is None:
            self._wire = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._wire
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if int(head.split(maxsplit=2)[1]) in (429, 503):
            raise ConnectionRefusedError("the node has no room for a healthy client")
        (size,) = (
            int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
        )
        await reader.readexactly(size)

    def _hang_up(self) -> None:
        if self._wire is not None:
            self._wire[1].transport.abort()
            self._wire = None


def _head(method: str, path: str, size: int) -> bytes:
    return f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {size}\r\n\r\n".encode()


def family_mb(pid: int) -> float:
    """Memory of a process and of those it has started, shared pages counted once."""
    total_kb = 0
    pids = [pid]
    while pids:
        each = pids.pop()
        with suppress(OSError):
            rollup = Path(f"/proc/{each}/smaps_rollup").read_text()
            total_kb += int(rollup.partition("\nPss:")[2].split()[0])
            pids += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
    return total_kb / 1_024
