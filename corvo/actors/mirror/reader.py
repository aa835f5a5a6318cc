"""Mirror reader: answers searches from SQLite, a few at a time.

    edge --SearchJobs--> [mirror reader] --AwaitMirror--> mirror writer
                              |  ^
                              v  | rows
                       aiosqlite connections, read-only

A question first waits until the mirror has what the asker has seen, a second at most; then it waits for a
free connection. Handlers do not await: a conversation with the database is a task that ends in a message.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Generator
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import structlog

from corvo.actors.kernel.api import Actor, ActorAddress, PoisonMessage, Refused, Timer, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.mirror.messages import (
    AwaitMirror,
    CountByState,
    CountJobs,
    FailuresGrouped,
    FindIds,
    FullText,
    FullTextFound,
    GroupFailures,
    IdsFound,
    JobsCounted,
    MirrorDamaged,
    MirrorReached,
    SearchJobs,
    SearchPage,
    StatesCounted,
)
from corvo.actors.status import GetStatus, MirrorReaderStatus
from corvo.core.errors import CorvoError, Overloaded, ShuttingDown, Stale
from corvo.storage.mirror import files
from corvo.storage.mirror.connection import OutOfTime, ReadConnection
from corvo.storage.mirror.database import Unusable
from corvo.storage.mirror.search import search
from corvo.storage.mirror.search.binding import Statement
from corvo.storage.mirror.search.failures import failures
from corvo.storage.mirror.search.fulltext import full_text
from corvo.storage.mirror.sqlite_errors import Fault, fault_of, is_fault

log = structlog.get_logger()

Conversation: TypeAlias = Generator[Statement, Any, Any]


class ReaderSettings(msgspec.Struct, frozen=True):
    connections: int = 3
    #: Questions that may wait, for the mirror or for a connection.
    questions_max: int = 64
    #: How long a question waits for the mirror before it is answered with what is there.
    wait_ms: int = 1_000
    #: How long a search may take, and how long a count or a list of ids for a bulk operation.
    search_ms_max: int = 5_000
    bulk_ms_max: int = 15_000


class _Question:
    """A question on its way from the mailbox to a connection."""

    __slots__ = ("asker", "begin", "is_stale", "min_index", "ms_max", "shape")

    def __init__(
        self,
        asker: ActorAddress,
        min_index: int,
        ms_max: int,
        begin: Callable[[], Conversation],
        shape: Callable[[Any, bool], Message],
    ) -> None:
        self.asker = asker
        self.min_index = min_index
        self.ms_max = ms_max
        self.begin = begin
        #: From what the conversation came to, and whether the mirror was late, to the answer.
        self.shape = shape
        self.is_stale = False


class _Desk:
    """A connection, and the task that talks on it."""

    __slots__ = ("connection", "task")

    def __init__(self) -> None:
        self.connection: ReadConnection | None = None
        self.task: asyncio.Task[None] | None = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Ended(Message, frozen=True):
    """reader -> itself: a conversation is over."""

    desk: _Desk
    question: _Question
    outcome: Message | CorvoError


class MirrorReader(Actor):
    def __init__(self, writer: ActorAddress, folder: Path, settings: ReaderSettings | None = None) -> None:
        self._writer = writer
        self._folder = folder
        self._settings = settings or ReaderSettings()
        #: The file to read; None until the writer has named it.
        self._path: Path | None = None
        self._waiting: dict[_Question, Timer] = {}
        self._ready: deque[_Question] = deque()
        self._desks = [_Desk() for _ in range(self._settings.connections)]
        self._answered = 0
        self._late = 0
        self._cut_short = 0

    def stopping(self) -> None:
        for desk in self._desks:
            if desk.task is not None:
                desk.task.cancel()
            desk.close()
        for question in (*self._waiting, *self._ready):
            self.send(question.asker, ShuttingDown("this node is stopping"))

    def crashed(self) -> None:
        """Conversations under way come to their end and are answered; all others are asked again."""
        for desk in self._desks:
            if desk.task is None:
                desk.close()
        for question in (*self._waiting, *self._ready):
            self.send(question.asker, Overloaded("the search was interrupted", retry_after_ms=50))

    # Questions

    def receiveMsg_SearchJobs(self, msg: SearchJobs, sender: ActorAddress) -> None:
        def shape(page: search.ResultPage, stale: bool) -> SearchPage:
            return SearchPage(page.hits, page.total, page.total_is_estimate, page.cursor, stale)

        def begin() -> Conversation:
            return search.search(msg.query, msg.known_total)

        self._take(_Question(sender, msg.min_index, self._settings.search_ms_max, begin, shape))

    def receiveMsg_FindIds(self, msg: FindIds, sender: ActorAddress) -> None:
        def shape(found: search.Ids, stale: bool) -> IdsFound:
            return IdsFound(found.ids, found.cursor, stale)

        def begin() -> Conversation:
            return search.find_ids(
                msgspec.structs.replace(msg.query, cursor=msg.after_cursor, limit=msg.limit)
            )

        self._take(_Question(sender, msg.min_index, self._settings.bulk_ms_max, begin, shape))

    def receiveMsg_CountJobs(self, msg: CountJobs, sender: ActorAddress) -> None:
        def shape(found: int, stale: bool) -> JobsCounted:
            return JobsCounted(min(found, msg.cap), found > msg.cap, stale)

        def begin() -> Conversation:
            return search.count_jobs(msg.query, msg.cap)

        self._take(_Question(sender, msg.min_index, self._settings.bulk_ms_max, begin, shape))

    def receiveMsg_CountByState(self, msg: CountByState, sender: ActorAddress) -> None:
        def begin() -> Conversation:
            return search.count_states(msg.query)

        self._take(_Question(sender, msg.min_index, self._settings.bulk_ms_max, begin, StatesCounted))

    def receiveMsg_GroupFailures(self, msg: GroupFailures, sender: ActorAddress) -> None:
        def begin() -> Conversation:
            return failures(msg.query, msg.limit, msg.now_ns)

        self._take(_Question(sender, msg.min_index, self._settings.search_ms_max, begin, FailuresGrouped))

    def receiveMsg_FullText(self, msg: FullText, sender: ActorAddress) -> None:
        def shape(found: Any, stale: bool) -> FullTextFound:
            return FullTextFound(found.hits, stale or found.is_partial)

        def begin() -> Conversation:
            return full_text(msg.q, msg.limit, msg.reach)

        question = _Question(sender, msg.min_index, self._settings.search_ms_max, begin, shape)
        self._take(question, words=True)

    # Waiting for the mirror

    def _take(self, question: _Question, *, words: bool = False) -> None:
        if len(self._waiting) + len(self._ready) >= self._settings.questions_max:
            self.send(question.asker, Overloaded("too many searches at once", retry_after_ms=100))
            return
        # Also if it wants no index: the writer knows which file is the right one now.
        wait_ms = self._settings.wait_ms
        self.send(self._writer, AwaitMirror(question.min_index, wait_ms, words))
        self._waiting[question] = self.wakeupAfter(timedelta(milliseconds=wait_ms), question)

    def receiveMsg_MirrorReached(self, msg: MirrorReached, sender: ActorAddress) -> None:
        if msg.path != self._path:
            self._path = msg.path
            # An old file takes up its room on the disk for as long as a connection has it open.
            for desk in self._desks:
                if desk.task is None:
                    desk.close()
        for question in [question for question in self._waiting if question.min_index <= msg.index]:
            self._waiting.pop(question).cancel()
            self._ready.append(question)
        self._serve()

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        question: _Question = msg.payload
        if question in self._waiting:
            del self._waiting[question]
            question.is_stale = True
            self._late += 1
            self._ready.append(question)
            self._serve()

    def receiveMsg_Stale(self, msg: Stale, sender: ActorAddress) -> None:
        """The writer's patience ends when ours does, and each question has its own alarm."""

    # Serving

    def _serve(self) -> None:
        for desk in self._desks:
            if not self._ready:
                return
            if desk.task is None:
                question = self._ready.popleft()
                desk.task = asyncio.get_running_loop().create_task(self._converse(desk, question))

    async def _converse(self, desk: _Desk, question: _Question) -> None:
        outcome: Message | CorvoError = ShuttingDown("this node is stopping")
        try:
            outcome = await self._outcome(desk, question)
        except Exception as error:
            log.exception("mirror.search_failed", error=str(error))
            outcome = CorvoError("internal error")
        finally:
            self.send(self.myAddress, Ended(desk, question, outcome))

    async def _outcome(self, desk: _Desk, question: _Question) -> Message | CorvoError:
        path = self._path or files.current(self._folder)
        if path is None:
            return Stale("there is no search view yet; it is being built")
        try:
            if desk.connection is None or desk.connection.path != path:
                desk.close()
                desk.connection = await ReadConnection.open(path)
            result = await desk.connection.run(question.begin(), question.ms_max / 1_000)
        except CorvoError as refusal:
            return refusal
        except OutOfTime:
            self._cut_short += 1
            return Overloaded(f"the search took longer than {question.ms_max} ms; narrow it down")
        except Exception as error:
            if not isinstance(error, Unusable) and not is_fault(error):
                raise
            return self._broken(desk, path, error)
        return question.shape(result, question.is_stale)

    def _broken(self, desk: _Desk, path: Path, error: Exception) -> CorvoError:
        """The file cannot be read. The next question opens it anew, or the one that replaces it."""
        desk.close()
        log.warning("mirror.unreadable", file=path.name, error=str(error))
        if isinstance(error, Unusable) or fault_of(error) is Fault.DAMAGED:
            self.send(self._writer, MirrorDamaged(path, str(error)))
        return Stale("the search view cannot be read at the moment; it is being built anew")

    def receiveMsg_Ended(self, msg: Ended, sender: ActorAddress) -> None:
        msg.desk.task = None
        if msg.desk not in self._desks:
            msg.desk.close()  # It belonged to the instance before this one.
        self._answered += 1
        self.send(msg.question.asker, msg.outcome)
        self._serve()

    # The rest

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        status = MirrorReaderStatus(
            answered=self._answered,
            waiting=len(self._waiting) + len(self._ready),
            busy=sum(desk.task is not None for desk in self._desks),
            late=self._late,
            cut_short=self._cut_short,
        )
        self.send(sender, status)

    def receiveMsg_Refused(self, msg: Refused, sender: ActorAddress) -> None:
        # The end of a conversation must not be missed because the mailbox is full of new questions. A writer
        # without room for a question is late, which the question's own alarm will find out.
        if isinstance(msg.message, Ended):
            self.receiveMsg_Ended(msg.message, sender)

    def receiveMsg_PoisonMessage(self, msg: PoisonMessage, sender: ActorAddress) -> None:
        """The writer crashed over a question of ours, and is late: see `receiveMsg_Refused`."""
