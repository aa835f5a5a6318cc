"""Mirror writer: keeps SQLite in step with what has landed in LevelDB, on a thread of its own.

    fsm --EntryLanded--> [mirror writer] --> SQLite
                              |  ^
                 (missed any) v  | event log, documents
                             LevelDB

Rows gather for a moment, so that a job that comes and goes is written once; a request that waits for an
entry ends the moment. Nothing is ever dropped: whatever goes wrong, a lost message, a full disk, a crash, the
writer knows the last entry its file holds, and reads what came after it from LevelDB. If that is no longer
possible, or the file is no longer sound, a new one is built (builder.py) while this one serves on.
"""

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import structlog

from corvo.actors.kernel.api import (
    ActorAddress,
    PoisonMessage,
    Refused,
    WakeupMessage,
)
from corvo.actors.mirror.deferred import (
    BELIEVE_AGAIN_NS,
    CHUNKS_AHEAD_MAX,
    FAILURES_MAX,
    GATHER,
    LOOK_AFTER,
    NOW,
    REBUILD_AGAIN_AFTER,
    RETRY_AFTER,
    WORDS_AFTER,
    WORDS_AT_ONCE_NS_MAX,
    WORDS_REST_FACTOR,
    Deferred,
    MirrorWaiter,
    Overdue,
    Waiters,
)
from corvo.actors.mirror.messages import (
    AwaitMirror,
    HoldStill,
    MirrorDamaged,
    MirrorReached,
    Pair,
)
from corvo.actors.mirror.rebuilding import Rebuilding
from corvo.actors.mirror.stats import MirrorPace
from corvo.actors.state.messages import EntryLanded, SlowDown, Subscribe, Topic
from corvo.actors.status import GetStatus
from corvo.core.clock import Clock
from corvo.core.errors import Stale, Unhealthy
from corvo.storage.kv import Kv, KvReader
from corvo.storage.mirror.catch_up import CHUNK_BYTES, CHUNK_JOBS, LogTooShort, read_meta
from corvo.storage.mirror.compare import open_still
from corvo.storage.mirror.database import Unusable
from corvo.storage.mirror.mirror import Mirror
from corvo.storage.mirror.sqlite_errors import Fault, fault_of

log = structlog.get_logger()


class MirrorWriter(Rebuilding):
    def __init__(self, kv: Kv, fsm: ActorAddress, folder: Path, clock: Clock) -> None:
        super().__init__(kv, folder, clock)
        self._fsm = fsm
        self._clock = clock
        self._mirror = Mirror(folder)
        #: Whether entries were missed, so that entries that come now are of no use.
        self._behind = True
        self._waiters = Waiters()
        self._words_left = True
        self._failures_in_a_row = 0
        #: When a reader was last believed that the file is damaged.
        self._believed_ns: int | None = None
        self._pace = MirrorPace(clock)
        #: Whether the last thing done to the file succeeded, and how long the batcher was told to rest.
        self._works = True
        self._rest_us = 0
        self._errands: dict[Deferred, Callable[[], None]] = {
            Deferred.FLUSH: self._flush,
            Deferred.CATCH_UP: self._catch_up,
            Deferred.LOOK: self._look,
            Deferred.INDEX_WORDS: self._index_words,
            Deferred.REBUILD: lambda: self._rebuild("the last attempt failed"),
        }
        #: Errands under way: none is sent twice.
        self._sent: set[Deferred] = set()

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED,)))
        # A writer that crashed may have left the batcher resting.
        self.send(self._fsm, SlowDown(rest_us=0))
        self._open()

    def crashed(self) -> None:
        """Readers that wait for entries keep the time themselves."""
        self._mirror.abandon()
        super().crashed()

    def stopping(self) -> None:
        self._flush()
        self._mirror.close()

    # Entries

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        applied, mirror = msg.applied, self._mirror
        self._figures.told_index = applied.index
        self._pace.told(applied.index)
        self._tell_pace()
        if self._behind or applied.index <= mirror.index:
            return  # It is in LevelDB by now: it will be read from there, or has been.
        if applied.index > mirror.index + 1:
            log.warning("mirror.gap", held=mirror.index, told=applied.index)
            self._notice_gap()
            return
        mirror.add(applied.index, applied.rows, applied.writes, applied.record)
        batch = mirror.batch
        full = len(batch) >= CHUNK_JOBS or batch.text_bytes >= CHUNK_BYTES
        if full or self._waiters.any_up_to(applied.index):
            chunks = max(len(batch) / CHUNK_JOBS, batch.text_bytes / CHUNK_BYTES)
            chunks_an_entry = chunks / (applied.index - mirror.held)
            self._flush()
            if full and (self._stored_index() - applied.index) * chunks_an_entry > CHUNKS_AHEAD_MAX:
                self._notice_gap()  # Or a request for the status waits until all of it is written.
        else:
            self._send_later(Deferred.FLUSH, GATHER)

    def _flush(self) -> None:
        mirror = self._mirror
        if self._behind or not mirror.is_open:
            return
        rows, before_ns = len(mirror.batch), self._clock.monotonic_ns()
        if self._attempt(mirror.flush):
            self._figures.flushed(rows, self._clock.monotonic_ns() - before_ns)
            self._progressed()

    def _progressed(self) -> None:
        """The file holds more than before."""
        self._failures_in_a_row = 0
        self._words_left = True
        self._pace.wrote(self._mirror.held)
        self._tell_pace()
        self._send_later(Deferred.INDEX_WORDS, WORDS_AFTER)
        for waiter in self._waiters.take_up_to(self._mirror.held):
            self._answer(waiter)

    def _tell_pace(self) -> None:
        """A mirror that does not work is no reason to slow down: it is unknown when it will again."""
        is_on_its_way = self._works and self._mirror.is_open and self._builder is None
        rest_us = self._pace.rest_us if is_on_its_way else 0
        if rest_us != self._rest_us:
            self._rest_us = rest_us
            self.send(self._fsm, SlowDown(rest_us))

    # Catching up

    def _notice_gap(self) -> None:
        self._figures.gaps += 1
        self._flush()
        self._fall_behind(NOW)

    def _fall_behind(self, pause: timedelta) -> None:
        """From here on LevelDB is read instead of messages, until there is nothing left to read."""
        self._behind = True
        if self._mirror.is_open:
            self._mirror.forget()
        self._send_later(Deferred.CATCH_UP, pause)

    def _catch_up(self) -> None:
        if not self._mirror.is_open:
            return
        try:
            done = self._attempt(self._step)
        except LogTooShort as reason:
            self._rebuild(str(reason))
        except (RuntimeError, OSError) as error:
            # LevelDB was closed under us; it will be open again.
            log.warning("mirror.store_closed", error=str(error))
            self._send_later(Deferred.CATCH_UP, RETRY_AFTER)
        else:
            if done:
                self._progressed()
            if done and self._behind:
                self._send_later(Deferred.CATCH_UP, NOW)

    def _step(self) -> None:
        snapshot = self._kv.snapshot()
        try:
            self._behind = not self._mirror.catch_up(snapshot)
        finally:
            snapshot.close()

    def _look(self) -> None:
        """If the last message of a burst is lost, no later one tells of the gap; but a request waits."""
        if self._behind or not self._waiters:
            return
        if self._stored_index() > self._mirror.index:
            self._notice_gap()
        else:
            self._send_later(Deferred.LOOK, LOOK_AFTER)

    def _stored_index(self) -> int:
        """The last entry LevelDB holds, or none while it is being opened again."""
        try:
            return read_meta(self._kv).index
        except (RuntimeError, OSError):
            return 0

    # Waiting

    def receiveMsg_AwaitMirror(self, msg: AwaitMirror, sender: ActorAddress) -> None:
        mirror = self._mirror
        waiter = MirrorWaiter(sender, msg.index, words=msg.words)
        if mirror.held < msg.index <= mirror.index:
            self._flush()
        if mirror.is_open and msg.index <= mirror.held:
            self._answer(waiter)
            return
        self._waiters.add(waiter)
        self.wakeupAfter(timedelta(milliseconds=msg.wait_ms), Overdue(waiter))
        self._send_later(Deferred.LOOK, LOOK_AFTER)

    def _answer(self, waiter: MirrorWaiter) -> None:
        if waiter.words:
            end_ns = self._clock.monotonic_ns() + WORDS_AT_ONCE_NS_MAX
            while self._words_left and self._clock.monotonic_ns() < end_ns:
                if not self._attempt(self._index_round):
                    break
        assert self._mirror.path is not None
        self.send(waiter.asker, MirrorReached(self._mirror.held, self._mirror.path))

    def _give_up(self, waiter: MirrorWaiter) -> None:
        if self._waiters.take(waiter):
            held = self._mirror.held
            self.send(waiter.asker, Stale(f"index {waiter.index} was asked for; the mirror is at {held}"))

    # Comparing

    def receiveMsg_HoldStill(self, msg: HoldStill, sender: ActorAddress) -> None:
        """No other actor writes the mirror, so only here it can be brought level with a snapshot."""
        snapshot = self._kv.snapshot()
        try:
            self.send(sender, Pair(snapshot, self._still_beside(snapshot)))
        except (Unusable, LogTooShort) as reason:
            snapshot.close()
            self.send(sender, Unhealthy(f"the mirror cannot be compared: {reason}"))

    def _still_beside(self, snapshot: KvReader) -> sqlite3.Connection:
        level = self._mirror.is_open and self._attempt(lambda: self._draw_level(snapshot))
        path = self._mirror.path if level else None
        if path is None:
            raise Unusable("it is being built")
        return open_still(path)

    def _draw_level(self, snapshot: KvReader) -> None:
        self._mirror.flush()
        while not self._mirror.catch_up(snapshot):
            pass
        self._progressed()

    # Words

    def _index_words(self) -> None:
        before_ns = self._clock.monotonic_ns()
        if self._mirror.is_open and self._attempt(self._index_round) and self._words_left:
            took_us = (self._clock.monotonic_ns() - before_ns) // 1_000
            self._send_later(Deferred.INDEX_WORDS, timedelta(microseconds=took_us * WORDS_REST_FACTOR))

    def _index_round(self) -> None:
        self._words_left = self._mirror.index_words()

    # Failing

    def _attempt(self, act: Callable[[], object]) -> bool:
        """Do something to the file. False if that failed; what has to follow is under way then."""
        try:
            act()
        except Unusable as reason:
            self._lose_file(str(reason))
        except sqlite3.Error as error:
            self._fail(error)
        else:
            self._works = True
            return True
        self._works = False
        self._tell_pace()
        return False

    def _fail(self, error: sqlite3.Error) -> None:
        self._figures.failures += 1
        fault = fault_of(error)
        log.warning("mirror.failed", fault=fault.value, error=str(error))
        if fault is Fault.UNKNOWN:
            self._failures_in_a_row += 1
        if fault is Fault.DAMAGED or self._failures_in_a_row >= FAILURES_MAX:
            self._failures_in_a_row = 0
            self._lose_file(str(error))
        else:
            self._fall_behind(RETRY_AFTER)

    def _lose_file(self, reason: str) -> None:
        self._behind = True
        self._mirror.abandon()
        self._rebuild(reason)

    def _open(self) -> None:
        try:
            self._mirror.open()
        except Unusable as reason:
            self._lose_file(str(reason))
        else:
            self._fall_behind(NOW)

    # Rebuilding

    def receiveMsg_MirrorDamaged(self, msg: MirrorDamaged, sender: ActorAddress) -> None:
        if msg.path != self._mirror.path or not self._mirror.is_open:
            return  # It is about a file that is being replaced, or has been.
        now_ns = self._clock.monotonic_ns()
        if self._believed_ns is None or now_ns - self._believed_ns > BELIEVE_AGAIN_NS:
            self._believed_ns = now_ns
            self._lose_file(msg.reason)

    def _take_over(self, path: Path) -> None:
        self._mirror.adopt(path)
        self._fall_behind(NOW)

    def _build_failed(self) -> None:
        if not self._mirror.is_open or self._behind:
            self._send_later(Deferred.REBUILD, REBUILD_AGAIN_AFTER)

    # Errands

    def _send_later(self, errand: Deferred, pause: timedelta) -> None:
        if errand not in self._sent:
            self._sent.add(errand)
            self.wakeupAfter(pause, errand)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, Overdue):
            self._give_up(msg.payload.waiter)
            return
        self._sent.discard(msg.payload)
        self._errands[msg.payload]()

    # The rest

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        status = self._figures.status(
            held=self._mirror.held,
            queued=len(self._mirror.batch),
            queue_max=CHUNK_JOBS,
            behind=self._behind,
            building=self._builder is not None,
            behind_ns=self._pace.behind_ns,
        )
        self.send(sender, status)

    def receiveMsg_Refused(self, msg: Refused, sender: ActorAddress) -> None:
        """An asker that has no room for an answer will ask again."""

    def receiveMsg_PoisonMessage(self, msg: PoisonMessage, sender: ActorAddress) -> None:
        """A crashed actor is seen to by its supervisor; the end of a builder comes as ChildActorExited."""
