"""Worker stream: lines come in and are answered in order, and the server may add lines of its own.

    client --lines--> [worker stream] --> batcher, fetch desk
           <--answers, cancels, pings--

Up to sixteen lines are under way at a time; then the server stops reading, and the client's own flow control
makes it wait. A fetch that waits for jobs does not hold up the lines behind it: as soon as one comes, the
wait is over. Whatever happens to the connection, what was acknowledged is done, and leases run out by time.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import NamedTuple

import msgspec
import structlog

from corvo.actors.fetch.messages import CutShort, Handed, HangUp, HoldJobs, LetGo
from corvo.core.errors import BadFrame, CorvoError, LineTooLong, Overloaded, RequestTimeout
from corvo.core.splice import on_one_line
from corvo.http.api.schema.stream import NumberedLine, StreamAnswer, StreamLine
from corvo.http.api.stream_line import StreamSession, Work, fetched, shape, take_apart
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode_line
from corvo.http.serve.errors import known
from corvo.http.serve.open_streams import PIPELINED_MAX
from corvo.http.wire.byte_budget import TOO_SLOW_TEXT
from corvo.http.wire.message import ClientGone, Request

log = structlog.get_logger()

PING_AFTER_S = 15.0
#: Unreadable lines in a row before the stream is closed: its client does not speak this protocol.
STRIKES_MAX = 10

_encode = msgspec.json.Encoder().encode
_PING = b'{"ping":true}\n'


class WorkerStream:
    def __init__(
        self,
        ctx: EdgeContext,
        request: Request,
    ) -> None:
        assert request.incoming is not None, "a duplex route is given its body piece by piece"
        assert request.gone is not None
        self._ctx = ctx
        self._request = request
        self._tally = ctx.open_streams
        self._shares = ctx.tenants.shares
        self._incoming = request.incoming
        self._until_gone = request.gone
        self._session = StreamSession()
        self._answers: deque[asyncio.Task[bytes]] = deque()
        self._pushed: list[bytes] = []
        #: Something to say, or nothing left to.
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._heard_all = False
        self._gone = False
        self._closing: CorvoError | None = None
        #: Waits at the fetch desk that are not answered yet.
        self._waits: set[int] = set()
        self._held: set[str] = set()
        #: Set when the ops of the latest line, and of all before it, are done: a fetch comes after them.
        self._written: asyncio.Event | None = None
        self._strikes = 0
        #: The last line that came in pieces.
        self._unfinished: _Unfinished | None = None

    # Speaking

    async def speak(self) -> AsyncGenerator[bytes, None]:
        """Everything the client gets, piece by piece."""
        with self._ctx.tenants.stream(self._request.namespace):
            async with contextlib.aclosing(self._speech()) as speech:
                async for said in speech:
                    yield said

    async def _speech(self) -> AsyncGenerator[bytes, None]:
        listening = asyncio.get_running_loop().create_task(self._listen())
        try:
            while not self._gone:
                said = self._sayable()
                if said:
                    yield b"".join(said)
                elif self._closing is not None and not self._answers:
                    yield _line(StreamAnswer(error=self._closing.message, code=self._closing.code))
                    return
                elif self._heard_all and not self._answers:
                    return
                elif not await self._anything_new():
                    yield _PING
        finally:
            self._let_go(listening)

    def _sayable(self) -> list[bytes]:
        self._news.clear()
        said, self._pushed = self._pushed, []
        while self._answers and self._answers[0].done():
            said.append(self._answers.popleft().result())
        self._room.set()
        return said

    async def _anything_new(self) -> bool:
        try:
            async with asyncio.timeout(PING_AFTER_S):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def close(self, reason: CorvoError) -> None:
        """Say why, after what was already answered, and end."""
        if self._closing is None:
            self._closing = reason
            self._cut_waits_short()
        self._news.set()

    def _let_go(self, listening: asyncio.Task[None]) -> None:
        listening.cancel()
        if self._unfinished is not None:
            self._unfinished.end()
        for wait_id in self._waits:
            self._ctx.system.tell(self._ctx.actors.fetch_desk, HangUp(wait_id))
        for answer in self._answers:
            answer.cancel()
        if self._held:
            self._ctx.system.tell(self._ctx.actors.lease_watch, LetGo(list(self._held), self._lease_over))

    def _lease_over(self, job_id: str, taken_away: bool) -> None:
        """Called by the lease watch."""
        if job_id not in self._held:
            return  # Handed back on this stream, while the news was under way.
        self._held.discard(job_id)
        if taken_away:
            self._pushed.append(_line(StreamAnswer(cancel=[job_id])))
            self._news.set()

    # Listening

    async def _listen(self) -> None:
        try:
            async for line in self._lines():
                while len(self._answers) >= PIPELINED_MAX:
                    self._room.clear()
                    await self._room.wait()
                await self._ctx.admission.admit_line()
                share = await self._shares.turn(self._request.namespace, len(line), patience_s=None)
                if self._closing is not None:
                    self._shares.end(self._request.namespace, share)
                    return
                self._cut_waits_short()
                self._take(line, share)
        except ClientGone:
            self._gone = True
        except CorvoError as error:
            self.close(error)
        except Exception as error:
            log.exception("stream.failed", error=str(error))
            self.close(CorvoError("internal error"))
        self._heard_all = True
        self._news.set()
        if not self._gone:
            # The body has ended, the client may still be there for its answers; or not.
            await self._until_gone()
            self._gone = True
            self._news.set()

    async def _lines(self) -> AsyncIterator[bytes]:
        most = self._ctx.config.max_body_size
        # Grows in place: a long line in small pieces must not be copied with each of them.
        pending = bytearray()
        unfinished: _Unfinished | None = None
        async for chunk in self._incoming:
            *ends, rest = chunk.split(b"\n")
            if unfinished is not None and ends:
                unfinished.end()
                unfinished = None
            for end in ends:
                line = bytes(pending) + end
                pending.clear()
                if len(line) > most:
                    raise LineTooLong(f"a line has more than {most} bytes")
                if line.strip():
                    yield line
            pending += rest
            if len(pending) > most:
                raise LineTooLong(f"a line has more than {most} bytes")
            if pending:
                if unfinished is None:
                    unfinished = self._unfinished = _Unfinished(self._ctx, self.close)
                await unfinished.grow(len(rest))
        if pending.strip():
            yield bytes(pending)

    def _take(self, line: bytes, share: int) -> None:
        """Begin with it. Its ops are on their way before the next line is looked at."""
        expected = self._ctx.admission.expect(line)
        before, self._written = self._written, asyncio.Event()
        self._tally.lines_total += 1
        self._tally.lines_under_way += 1
        taken = _TakenLine(line, expected, share)
        answer = asyncio.get_running_loop().create_task(self._answer(taken, before, self._written))
        answer.add_done_callback(self._answered)
        self._answers.append(answer)

    def _answered(self, _: asyncio.Task[bytes]) -> None:
        self._tally.lines_under_way -= 1
        self._news.set()

    def _cut_waits_short(self) -> None:
        for wait_id in self._waits:
            self._ctx.system.tell(self._ctx.actors.fetch_desk, CutShort(wait_id))

    # Answering

    async def _answer(
        self, taken: "_TakenLine", before: asyncio.Event | None, written: asyncio.Event
    ) -> bytes:
        """`before` is set when the ops of the lines before this one are done, `written` when its own are."""
        answer = StreamAnswer(jobs=[])
        # How much it really is will be counted when it is submitted, which is before anything is awaited.
        self._ctx.admission.forget(taken.expected)
        try:
            try:
                line = self._read(taken.text, answer)
                work = take_apart(line, self._session, self._request, self._ctx)
                self._ctx.charge(self._request, work.jobs)
                await self._write(work, answer)
            finally:
                self._shares.end(self._request.namespace, taken.share)
            if before is not None:
                await before.wait()
            written.set()
            await self._fetch(work, answer)
        except Exception as error:
            refusal = known(error, str(answer.request_id))
            answer.error, answer.code = refusal.message, refusal.code
            self._tally.overload_total += refusal.code == Overloaded.code
            answer.retry_after_ms = refusal.facts.get("retry_after_ms", msgspec.UNSET)
        finally:
            written.set()
        return _line(answer)

    def _read(self, text: bytes, answer: StreamAnswer) -> StreamLine:
        try:
            # The number first: a line with a member that is wrong is still answered by it.
            answer.request_id = decode_line(text, NumberedLine, strict=False)[0].request_id
            line, warnings = decode_line(text, StreamLine, strict=self._request.is_strict)
        except CorvoError as error:
            self._strikes += 1
            if self._strikes >= STRIKES_MAX:
                self.close(BadFrame(f"{STRIKES_MAX} lines in a row could not be read"))
            raise BadFrame(error.message) from None
        self._strikes = 0
        if warnings:
            answer.warnings = warnings
        return line

    async def _write(self, work: Work, answer: StreamAnswer) -> None:
        ops = work.ops
        if ops:
            done = await self._ctx.submit_all(ops, work.size_bytes)
            shape(answer, work, done.outcomes)
            self._give_back(work.finished_ids)

    async def _fetch(self, work: Work, answer: StreamAnswer) -> None:
        if work.wait is None:
            return
        # If there is a line behind this one already, or the end, it is not to be held up.
        patient = self._is_last() and self._closing is None
        wait = work.wait if patient else msgspec.structs.replace(work.wait, wait_ms=0)
        self._waits.add(wait.wait_id)
        try:
            handed = await self._ctx.wait_on_stream(wait)
        finally:
            self._waits.discard(wait.wait_id)
        answer.jobs = fetched(handed)
        self._tally.idle_fetch_total += not answer.jobs
        self._hold(handed)

    def _is_last(self) -> bool:
        return bool(self._answers) and self._answers[-1] is asyncio.current_task()

    def _hold(self, handed: Handed) -> None:
        tokens = {claimed.job.id: claimed.job.lease.token for claimed in handed.jobs if claimed.job.lease}
        if tokens:
            self._held.update(tokens)
            self._ctx.system.tell(
                self._ctx.actors.lease_watch, HoldJobs(tokens, handed.index, self._lease_over)
            )

    def _give_back(self, job_ids: list[str]) -> None:
        ours = [job_id for job_id in job_ids if job_id in self._held]
        if ours:
            self._held.difference_update(ours)
            self._ctx.system.tell(self._ctx.actors.lease_watch, LetGo(ours, self._lease_over))


class _TakenLine(NamedTuple):
    """A line that was let in."""

    text: bytes
    #: How much room it takes until it is decoded.
    expected: int
    #: What it counts in the share of its namespace until its ops are done.
    share: int


class _Unfinished:
    """A line whose end has not come yet: it has a deadline, and may have to give way to others."""

    def __init__(self, ctx: EdgeContext, close: Callable[[CorvoError], None]) -> None:
        limit_ms = ctx.config.body_timeout
        late = RequestTimeout(f"a line was not complete after {limit_ms / 1_000:g} s")
        self._late = asyncio.get_running_loop().call_later(limit_ms / 1_000, close, late)
        self._held = ctx.incoming.begin(lambda: close(Overloaded(TOO_SLOW_TEXT, retry_after_ms=1_000)))

    async def grow(self, size: int) -> None:
        self._held.add(size)
        pause_s = self._held.pause_s(size)
        if pause_s:
            await asyncio.sleep(pause_s)

    def end(self) -> None:
        self._late.cancel()
        self._held.end()


def _line(answer: StreamAnswer) -> bytes:
    return on_one_line(_encode(answer)) + b"\n"
