"""One worker stream: lines of JSON both ways over a single request whose body does not end.

Lines are answered in order and matched by number; besides that the server may say that a job is taken away.
How they get there and back, over HTTP/1.1 or HTTP/2, is up to their carrier.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from corvo_sdk import errors
from corvo_sdk.call import decode
from corvo_sdk.errors import AnswerLost, CorvoError, TlsRequired
from corvo_sdk.models.base import Model
from corvo_sdk.models.claim import AckResult, ClaimedJob, Pulse, open_one_by_one
from corvo_sdk.settings import Settings
from corvo_sdk.wire import error_of, mistrusted, unreachable
from corvo_sdk.worker.stream.carrier import Carrier, NotSpoken
from corvo_sdk.worker.stream.dialing import Dialing

#: A server that does streams answers the first line at once; whatever buffers requests in between does not.
_HELLO_S_MAX = 5.0
_ERROR_BYTES_MAX = 64 * 1024

_encode = msgspec.json.Encoder().encode


class StreamRefused(CorvoError):
    """The server is too old for streams, or something between here and there does not let them through."""


class ItemResult(Model, frozen=True, kw_only=True):
    """What became of a fail or a release."""

    job_id: str
    status: str
    code: str | None = None


class _Line(Model, frozen=True, kw_only=True):
    """A line from the server, but for its jobs. Without a number it is a word of its own."""

    request_id: int | None = None
    ack_results: list[AckResult] = msgspec.field(default_factory=list)
    failed: list[ItemResult] = msgspec.field(default_factory=list)
    released: list[ItemResult] = msgspec.field(default_factory=list)
    heartbeats: dict[str, Pulse] = msgspec.field(default_factory=dict)
    cancel: list[str] = msgspec.field(default_factory=list)
    error: str | None = None
    code: str | None = None
    retry_after_ms: int | None = None


class LineAnswer(_Line, frozen=True, kw_only=True):
    jobs: list[ClaimedJob] = msgspec.field(default_factory=list)


class _SealedAnswer(_Line, frozen=True, kw_only=True):
    jobs: list[msgspec.Raw] = msgspec.field(default_factory=list)


_decode_answer = msgspec.json.Decoder(LineAnswer).decode


def _decode(line: bytes) -> LineAnswer:
    try:
        return _decode_answer(line)
    except (msgspec.ValidationError, RecursionError):
        return _decode_with_care(line)


def _decode_with_care(line: bytes) -> LineAnswer:
    try:
        return decode(line, LineAnswer)
    except msgspec.ValidationError:
        # A job among them that Python cannot hold must not take the others with it.
        sealed = decode(line, _SealedAnswer)
        facts = {name: getattr(sealed, name) for name in _Line.__struct_fields__}
        return LineAnswer(**facts, jobs=open_one_by_one(sealed.jobs))


class Stream:
    def __init__(
        self, settings: Settings, cancelled: Callable[[list[str]], None], dialing: Dialing | None = None
    ) -> None:
        self._settings = settings
        self._dialing = dialing or Dialing(settings)
        self._cancelled = cancelled
        self._asked: dict[int, asyncio.Future[LineAnswer]] = {}
        self._number = 0
        self._reading: asyncio.Task[None] | None = None
        self._carrier: Carrier | None = None
        self.is_broken = False

    async def open(self, hello: dict[str, Any]) -> None:
        """Unreachable if there is no server, StreamRefused if it does not do streams."""
        try:
            await self._open(hello)
        except NotSpoken:
            self._asked.clear()
            if not self._dialing.gave_up_http2():
                raise StreamRefused("the server does not speak HTTP") from None
            await self._open(hello)

    async def _open(self, hello: dict[str, Any]) -> None:
        try:
            async with asyncio.timeout(_HELLO_S_MAX):
                self._carrier = carrier = await self._dialing.reach()
        except (OSError, TimeoutError) as error:
            raise unreachable(self._settings.url, error) from error
        try:
            async with asyncio.timeout(_HELLO_S_MAX):
                carrier.begin(f"{urlsplit(self._settings.url).path}/api/v1/stream", self._settings.headers)
                answer = self._say(hello)
                await self._hear_head(carrier)
                self._reading = asyncio.create_task(self._read(carrier))
                await answer
        except TimeoutError as error:
            self.close()
            raise StreamRefused("the stream's first line was not answered") from error
        except (OSError, ValueError) as error:
            self.close()
            # Over TLS 1.3 a client hears only now that its certificate was not good enough.
            lost = AnswerLost(f"the stream broke while it was opened: {error}")
            raise mistrusted(self._settings.url, error) or lost from error
        except NotSpoken:
            carrier.close()
            raise
        except CorvoError:
            self.close()
            raise

    async def ask(self, line: dict[str, Any], wait_s: float = 0.0) -> LineAnswer:
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
        if self._carrier is not None:
            self._carrier.close()

    async def aclose(self) -> None:
        self.close()
        if self._carrier is not None:
            await self._carrier.aclose()

    # Speaking

    def _say(self, line: dict[str, Any]) -> asyncio.Future[LineAnswer]:
        assert self._carrier is not None
        self._number += 1
        answer: asyncio.Future[LineAnswer] = asyncio.get_running_loop().create_future()
        self._asked[self._number] = answer
        self._carrier.write(_encode({"request_id": self._number, **line}) + b"\n")
        return answer

    # Hearing

    async def _hear_head(self, carrier: Carrier) -> None:
        status = await carrier.status()
        if status == 200:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                error = error_of(status, await carrier.whole(_ERROR_BYTES_MAX))
                if (
                    status in (401, 403)
                    or isinstance(error, TlsRequired)
                    or (error.retryable and status == 503)
                ):
                    raise error
        raise StreamRefused(f"the request for a stream was answered {status}")

    async def _read(self, carrier: Carrier) -> None:
        # Grows in place: a long line in small pieces must not be copied with each of them.
        pending = bytearray()
        try:
            async for piece in carrier.pieces():
                *ends, rest = piece.split(b"\n")
                for end in ends:
                    line = bytes(pending) + end
                    pending.clear()
                    self._hear(_decode(line))
                pending += rest
            self._break("the server ended the stream")
        except (OSError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            self._break(f"the stream broke: {error}")

    def _hear(self, answer: LineAnswer) -> None:
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
                asked.exception()  # Looked at: asyncio need not complain if nobody waits for it any more.
        self._asked.clear()
