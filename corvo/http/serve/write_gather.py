"""Write gather: what requests want written, gathered for a turn of the loop and handed on in groups.

    handlers --put--> [write gather] --one Submit a group--> batcher
             <------- [write gather] <--one Answer a group-- fsm

Requests that are read in one turn nearly always share an entry, so they share the message that takes them
there, its answer and its deadline. Their order is kept.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

import msgspec
import structlog

from corvo.actors.kernel.api import MailboxFull
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.core.limits import BATCH_OPS_MAX
from corvo.http.serve.admission import Admission
from corvo.http.serve.deadlines import Deadlines
from corvo.http.serve.write_intent import Written
from corvo.ops.base import Op
from corvo.ops.enqueue import job_count
from corvo.ops.repeatable import may_be_repeated

log = structlog.get_logger()

#: A group cannot be spread over entries, so it is closed before it gets larger than this. A request that
#: is larger by itself goes alone.
_GROUP_BYTES_MAX: Final = 256 * 1024

#: Takes a group to the batcher; its answer comes by the future. Raises MailboxFull.
SendGroup = Callable[[Submit], asyncio.Future[Any]]


class WriteAsker(Protocol):
    """A request that has put ops in, and is told once what became of them."""

    def written(self, written: Written, /) -> None: ...

    def failed(self, error: Exception, /) -> None: ...


class _Group(msgspec.Struct):
    """Requests that travel together."""

    #: If it is unknown what became of them, either all may be sent again or none.
    repeatable: bool
    ops: list[Op] = []
    size_bytes: int = 0
    jobs: int = 0
    #: The requests that wait, and how many of the outcomes are theirs.
    askers: list[tuple[WriteAsker, int]] = []

    def fits(self, repeatable: bool, ops: int, size_bytes: int) -> bool:
        return (
            self.repeatable is repeatable
            and len(self.ops) + ops <= BATCH_OPS_MAX
            and self.size_bytes + size_bytes <= _GROUP_BYTES_MAX
        )


class WriteGather:
    def __init__(
        self, loop: asyncio.AbstractEventLoop, admission: Admission, deadlines: Deadlines, send: SendGroup
    ) -> None:
        self._loop = loop
        self._admission = admission
        self._deadlines = deadlines
        self._send = send
        self._groups: list[_Group] = []

    @property
    def has_any(self) -> bool:
        """Whether ops wait here for the next turn of the loop."""
        return bool(self._groups)

    def put(self, asker: WriteAsker, ops: tuple[Op, ...], size_bytes: int) -> None:
        """Get the ops agreed on, in one entry, and tell the asker."""
        groups = self._groups
        repeatable = may_be_repeated(ops)
        if not groups:
            self._loop.call_soon(self._hand_on)
        if not groups or not groups[-1].fits(repeatable, len(ops), size_bytes):
            groups.append(_Group(repeatable))
        group = groups[-1]
        jobs = job_count(ops)
        self._admission.enter(jobs, len(ops), size_bytes)
        group.ops += ops
        group.size_bytes += size_bytes
        group.jobs += jobs
        group.askers.append((asker, len(ops)))

    def _hand_on(self) -> None:
        groups, self._groups = self._groups, []
        for group in groups:
            try:
                answer = self._send(Submit(tuple(group.ops), group.size_bytes, clients=len(group.askers)))
            except MailboxFull as error:
                self._refuse(group, error)
            else:
                self._deadlines.watch(answer).add_done_callback(partial(self._give_out, group))

    def _give_out(self, group: _Group, given: asyncio.Future[Any]) -> None:
        """Tell each request what became of its own ops."""
        try:
            answer = given.result()
        except Exception as error:
            self._refuse(group, error)
            return
        if type(answer) is Declined:
            self._refuse(group, answer.error)
            return
        assert type(answer) is Answer
        self._admission.leave(group.jobs, len(group.ops), group.size_bytes)
        index, outcomes, start = answer.index, answer.outcomes, 0
        for asker, count in group.askers:
            end = start + count
            _tell(asker.written, Written(index, outcomes[start:end], replayed=False))
            start = end

    def _refuse(self, group: _Group, error: Exception) -> None:
        self._admission.leave(group.jobs, len(group.ops), group.size_bytes)
        for asker, _ in group.askers:
            _tell(asker.failed, error)


def _tell(tell: Callable[[Any], None], what: object) -> None:
    """A request that fails over its answer must not keep the others from theirs."""
    try:
        tell(what)
    except Exception:
        log.exception("intake.asker_failed")


class Awaiting:
    """An asker whose future is awaited."""

    __slots__ = ("future",)

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.future: asyncio.Future[Written] = loop.create_future()

    def written(self, written: Written) -> None:
        # The waiter may have been cancelled meanwhile.
        if not self.future.done():
            self.future.set_result(written)

    def failed(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class Unheard:
    """An asker that wants to know only of failures, for the log."""

    __slots__ = ()

    def written(self, written: Written) -> None:
        """All is well."""

    def failed(self, error: Exception) -> None:
        log.warning("audit.not_recorded", error=str(error))
