"""One worker stream: lines of JSON both ways, matched by number, any number of them under way."""

import asyncio

import msgspec

from corvo.cli.bench import answers
from corvo.cli.bench.link import BenchLink
from corvo.cli.problems import ApiError, Problem, Unreachable

_TOO_BUSY = ("OVERLOADED", "RATE_LIMITED")


class BenchStream:
    def __init__(self, link: BenchLink) -> None:
        self._asked: dict[int, asyncio.Future[answers.LineAnswer]] = {}
        self._number = 0
        self._pending = b""
        self._problem: Problem | None = None
        self._say = link.open(b"/api/v1/stream", self._hear, self._break)

    def ask(self, members: bytes) -> asyncio.Future[answers.LineAnswer]:
        """`members` is the inside of an object; the number of the line is put in front."""
        self._number += 1
        answer: asyncio.Future[answers.LineAnswer] = asyncio.get_running_loop().create_future()
        if self._problem is not None:
            answer.set_exception(self._problem)
            return answer
        self._asked[self._number] = answer
        self._say(b'{"request_id":%d,%s}\n' % (self._number, members))
        return answer

    def _hear(self, piece: bytes) -> None:
        *lines, self._pending = (self._pending + piece if self._pending else piece).split(b"\n")
        for text in lines:
            try:
                said = answers.line(text)
            except msgspec.MsgspecError as error:
                return self._break(f"a line of the stream cannot be read: {error}")
            if said.request_id is not None:
                answer = self._asked.pop(said.request_id, None)
                if answer is not None and not answer.done():
                    answer.set_result(said)
            elif said.error is not None:
                self._break(f"the server ended the stream: {said.error}")
        return None

    def _break(self, reason: str) -> None:
        self._problem = Unreachable(reason)
        asked, self._asked = self._asked, {}
        for answer in asked.values():
            if not answer.done():
                answer.set_exception(self._problem)


def check(said: answers.LineAnswer) -> answers.LineAnswer:
    if said.code is None:
        return said
    if said.code in _TOO_BUSY:
        raise answers.Later(said.retry_after_ms / 1_000)
    raise ApiError(400, {"error": said.error, "code": said.code})
