"""One worker stream: lines of JSON both ways over a single request whose body does not end.

Over HTTP/1.1 with chunks, so that it needs nothing but a socket. Lines are answered in order and matched by
number; besides that the server may say that a job is taken away.
"""

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from corvo_client import errors
from corvo_client.errors import AnswerLost, CorvoError, Unreachable
from corvo_client.models.base import Model
from corvo_client.models.claim import AckResult, ClaimedJob, Pulse
from corvo_client.settings import Settings
from corvo_client.wire import error_of

#: A server that does streams answers the first line at once; whatever buffers requests in between does not.
_HELLO_S_MAX = 5.0
_GOODBYE_S_MAX = 1.0
_HEAD_BYTES_MAX = 64 * 1024

_encode = msgspec.json.Encoder().encode


class StreamRefused(CorvoError):
    """The server is too old for streams, or something between here and there does not let them through."""


class ItemResult(Model, frozen=True, kw_only=True):
    """What became of a fail or a release."""

    job_id: str
    status: str
    code: str | None = None


class Answer(Model, frozen=True, kw_only=True):
    """A line from the server. Without a number it is a word of its own."""

    request_id: int | None = None
    jobs: list[ClaimedJob] = msgspec.field(default_factory=list)
    ack_results: list[AckResult] = msgspec.field(default_factory=list)
    failed: list[ItemResult] = msgspec.field(default_factory=list)
    released: list[ItemResult] = msgspec.field(default_factory=list)
    heartbeats: dict[str, Pulse] = msgspec.field(default_factory=dict)
    cancel: list[str] = msgspec.field(default_factory=list)
    error: str | None = None
    code: str | None = None
    retry_after_ms: int | None = None


_decode = msgspec.json.Decoder(Answer).decode


class Stream:
    def __init__(self, settings: Settings, cancelled: Callable[[list[str]], None]) -> None:
        self._settings = settings
        self._cancelled = cancelled
        self._asked: dict[int, asyncio.Future[Answer]] = {}
        self._number = 0
        self._reading: asyncio.Task[None] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self.is_broken = False

    async def open(self, hello: dict[str, Any]) -> None:
        """Unreachable if there is no server, StreamRefused if it does not do streams."""
        url = urlsplit(self._settings.url)
        tls = self._tls() if url.scheme == "https" else None
        port = url.port or (443 if tls else 80)
        try:
            async with asyncio.timeout(_HELLO_S_MAX):
                reader, self._writer = await asyncio.open_connection(
                    url.hostname, port, ssl=tls, limit=_HEAD_BYTES_MAX
                )
        except (OSError, TimeoutError) as error:
            raise Unreachable(f"cannot reach {self._settings.url}: {error}") from error
        try:
            async with asyncio.timeout(_HELLO_S_MAX):
                self._writer.write(self._head(f"{url.path}/api/v1/stream", url.netloc.rpartition("@")[2]))
                answer = self._say(hello)
                await self._hear_head(reader)
                self._reading = asyncio.create_task(self._read(reader))
                await answer
        except TimeoutError as error:
            self.close()
            raise StreamRefused("the stream's first line was not answered") from error
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            self.close()
            raise AnswerLost(f"the stream broke while it was opened: {error}") from error
        except CorvoError:
            self.close()
            raise

    async def ask(self, line: dict[str, Any], wait_s: float = 0.0) -> Answer:
        """Say a line and wait for its answer. Raises what the answer stands for if it is a refusal."""
        if self.is_broken:
            raise AnswerLost("the stream is broken")
        answer = self._say(line)
        try:
            async with asyncio.timeout(wait_s + self._settings.timeout_s):
                said = await answer
        except TimeoutError as error:
            self.close()  # What comes after an answer that did not come cannot be relied on.
            raise AnswerLost("a line of the stream was not answered") from error
        if said.code is not None:
            facts = {"code": said.code, "error": said.error, "retry_after_ms": said.retry_after_ms}
            raise errors.of(0, facts)
        return said

    def close(self) -> None:
        self._break("the stream was closed")
        if self._reading is not None:
            self._reading.cancel()
        if self._writer is not None:
            self._writer.close()

    async def aclose(self) -> None:
        """The same, and wait until it is: TLS has a last word of its own."""
        self.close()
        if self._writer is not None:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(_GOODBYE_S_MAX):
                    await self._writer.wait_closed()

    # Speaking

    def _say(self, line: dict[str, Any]) -> asyncio.Future[Answer]:
        assert self._writer is not None
        self._number += 1
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked[self._number] = answer
        text = _encode({"request_id": self._number, **line}) + b"\n"
        self._writer.write(b"%x\r\n%b\r\n" % (len(text), text))
        return answer

    def _head(self, path: str, host: str) -> bytes:
        lines = [f"POST {path} HTTP/1.1", f"host: {host}", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in self._settings.headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    def _tls(self) -> ssl.SSLContext:
        if isinstance(self._settings.verify, ssl.SSLContext):
            return self._settings.verify
        context = ssl.create_default_context()
        if self._settings.verify is False:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    # Hearing

    async def _hear_head(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(None, 2)[1])
        if status == 200 and b"transfer-encoding: chunked" in head:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                error = error_of(status, await reader.read(_HEAD_BYTES_MAX))
                if status in (401, 403) or (error.retryable and status == 503):
                    raise error
        raise StreamRefused(f"the request for a stream was answered {status}")

    async def _read(self, reader: asyncio.StreamReader) -> None:
        pending = b""
        try:
            while size := int(await reader.readline(), 16):
                pending += await reader.readexactly(size)
                await reader.readexactly(2)
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    self._hear(_decode(line))
            self._break("the server ended the stream")
        except (OSError, ValueError, asyncio.IncompleteReadError, msgspec.MsgspecError) as error:
            self._break(f"the stream broke: {error}")

    def _hear(self, answer: Answer) -> None:
        if answer.request_id is None:
            if answer.code is not None:
                self._break(f"the server ends the stream: {answer.error}")
            elif answer.cancel:
                self._cancelled(answer.cancel)
            return
        asked = self._asked.pop(answer.request_id, None)
        if asked is not None and not asked.done():
            asked.set_result(answer)

    def _break(self, why: str) -> None:
        self.is_broken = True
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(AnswerLost(why))
        self._asked.clear()
