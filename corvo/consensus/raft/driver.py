"""Driver: one round after another on the loop, and never a round while the disk is syncing.

    link, propose, timer -> [driver] -> engine -> journal -> sync thread -> [driver] -> link

A round handles what came in, ticks the engine, sends what is new, and writes what was added. If that must
be durable before another node may hear of it, the next round waits for the sync; whatever arrives meanwhile
is buffered and shares the next sync. An idle node has no timer at all, or one until its next deadline.

A tick is pysyncobj's `_onTick`, which calls the overrides of the engine in this order:

    __connectedToAnyone     whether an election that is due may be held, then __setState
    __getEntries            a leader looks which entries a majority has, and commits them
    __applyLogEntries       what is committed is handed to the state machine, by __doApplyCommand
    __sendAppendEntries     only notes that a heartbeat is due: `replicate` sends, called from here
    _checkCommandsToApply   what was proposed is appended to the log, despite the name
    __tryLogCompaction      the log is cut

A leader counts an entry for itself only when its own disk has it. So an entry takes two rounds of the driver:
one appends and syncs it, the next one commits it and hands it over. `applied` in pysyncobj's words means no
more than that: the state machine's actor applies it in its own time.
"""

from collections.abc import Callable
from typing import Final

import structlog

from corvo.consensus.api import Role
from corvo.consensus.journal.sync_job import SyncJob
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.raft.context import LoopTimer, RaftContext
from corvo.consensus.raft.engine import Engine

log = structlog.get_logger()

#: Bytes of messages waiting for a round before a link is asked to pause.
INBOX_BYTES_MAX: Final = 16 * 1024 * 1024
#: A full disk is asked again after this time.
_FULL_RETRY_S: Final = 0.25
#: pysyncobj compares deadlines with <, so a timer must fire a little behind them.
_BEHIND_S: Final = 0.001


class Driver:
    def __init__(self, engine: Engine, context: RaftContext) -> None:
        self._engine = engine
        self._journal = context.journal
        self._listener = context.listener
        self._proposals = context.proposals
        self._outbox = context.outbox
        self._stats = context.stats
        self._scheduler = context.surroundings.scheduler
        self._syncer = context.surroundings.syncer
        self._fail_stop = context.surroundings.fail_stop
        self._on_room = context.surroundings.on_room
        self._inbox: list[Callable[[], None]] = []
        self._inbox_bytes = 0
        self._is_running = False
        self._is_syncing = False
        self._sync_begun_s = 0.0
        self._is_round_due = False
        self._timer: LoopTimer | None = None
        self._timer_due_s = 0.0
        self._patience_timer: LoopTimer | None = None
        self._announced: tuple[Role, int, str | None] | None = None
        #: Called with each new role, for a caller that waits for this node to lead, or to stop leading.
        self.on_role: Callable[[Role], None] | None = None

    # Life

    def start(self) -> None:
        self._is_running = True
        self._round()

    def stop(self) -> None:
        """No more rounds. Every open ticket is answered; the journal is left to its owner."""
        if not self._is_running:
            return
        self._is_running = False
        for timer in (self._timer, self._patience_timer):
            if timer is not None:
                timer.cancel()
        self._inbox.clear()
        self._engine.halt()
        self._proposals.lose_all()
        self._announce()
        self._proposals.tell_lost()

    def fail(self, reason: str) -> None:
        """This replica cannot go on."""
        try:
            self.stop()
        finally:
            self._fail_stop(reason)

    @property
    def is_running(self) -> bool:
        return self._is_running

    # Events

    def wake(self) -> None:
        """Something is to be done: run a round in the loop's next turn."""
        if not self._is_round_due and self._is_running:
            self._is_round_due = True
            self._scheduler.call_soon(self._due_round)

    def proposed(self) -> None:
        self.wake()
        if self._patience_timer is None:
            self._plan_patience()

    def peer_connected(self, peer: str) -> None:
        self._take(lambda: self._engine.peer_connected(peer))

    def peer_disconnected(self, peer: str) -> None:
        self._take(lambda: self._engine.peer_disconnected(peer))

    def message_received(self, peer: str, message: PeerMessage, size: int) -> bool:
        self._take(lambda: self._engine.receive(peer, message))
        self._inbox_bytes += size
        return self._inbox_bytes < INBOX_BYTES_MAX

    def _take(self, event: Callable[[], None]) -> None:
        if self._is_running:
            self._inbox.append(event)
            self.wake()

    # Rounds

    def _due_round(self) -> None:
        self._is_round_due = False
        self._round()

    def _round(self) -> None:
        if not self._is_running or self._is_syncing:
            return  # The end of the sync begins a round.
        begun_s = self._engine.now()
        self._stats.rounds += 1
        try:
            self._handle_inbox()
            self._engine.tick()
            self._engine.replicate()
            self._persist()
            self._announce()
            self._proposals.tell_lost()
        except Exception as error:
            # The state machine is total and the engine has no expected errors, so this replica is wrong.
            log.exception("consensus.round_failed")
            self.fail(f"a round failed: {error!r}")
            return
        self._watch(self._engine.now() - begun_s)
        self._plan()

    def _handle_inbox(self) -> None:
        inbox, self._inbox = self._inbox, []
        was_full = self._inbox_bytes >= INBOX_BYTES_MAX
        self._inbox_bytes = 0
        for event in inbox:
            event()
            self._announce()
        if was_full:
            self._on_room()

    def _persist(self) -> None:
        if not self._journal.flush():
            self._stats.is_storage_full = True
            return
        job = self._journal.sync_job()
        if job is None or not job.carries_promises:
            self._outbox.release()
        if job is not None:
            self._is_syncing = job.carries_promises
            self._sync_begun_s = self._engine.now()
            self._syncer.submit(job, self._sync_is_over)

    def _sync_is_over(self, job: SyncJob, error: BaseException | None) -> None:
        if job.carries_promises:
            self._is_syncing = False
        if not self._is_running:
            return
        if error is not None:
            # Never tried again: after a failed sync the kernel may have dropped what it could not write.
            self.fail(f"the disk failed: {error!r}")
            return
        self._journal.synced(job)
        if job.carries_promises:
            self._stats.syncs += 1
            self._stats.sync_time.add(round((self._engine.now() - self._sync_begun_s) * 1e9))
            self._outbox.release()
            self._round()

    def _announce(self) -> None:
        role = self._engine.role if self._is_running else Role.STOPPED
        leader_id = self._engine.known_leader if self._is_running else None
        now = (role, self._engine.term, leader_id)
        if now != self._announced:
            self._announced = now
            self._listener.role_changed(*now)
            if self.on_role is not None:
                self.on_role(role)

    # Time

    def _plan(self) -> None:
        """Sleep until the next deadline, or not at all if there is more to do."""
        if self._is_syncing:
            return
        if self._engine.has_work():
            self.wake()
            return
        due_s = self._engine.next_deadline_s()
        if self._stats.is_storage_full:
            retry_s = self._engine.now() + _FULL_RETRY_S
            due_s = retry_s if due_s is None else min(due_s, retry_s)
        self._set_timer(due_s)

    def _set_timer(self, due_s: float | None) -> None:
        if self._timer is not None:
            if due_s is not None and self._timer_due_s <= due_s:
                return  # The earlier one will look again; setting a new one for every message costs more.
            self._timer.cancel()
            self._timer = None
        if due_s is not None:
            delay = max(0.0, due_s - self._engine.now()) + _BEHIND_S
            self._timer_due_s = self._engine.now() + delay
            self._timer = self._scheduler.call_later(delay, self._timer_fired)

    def _timer_fired(self) -> None:
        self._timer = None
        self._watch(self._engine.now() - self._timer_due_s)
        # The loop may have been away while heartbeats arrived: let them be read before elections are held.
        self.wake()

    def _watch(self, seconds: float) -> None:
        """The loop was busy with one thing for this long. Followers do not wait for a leader that stalls."""
        timeout_s = self._engine.timing.election_s_min
        if seconds <= timeout_s / 2:
            return
        self._stats.stalls += 1
        self._stats.stall_s_max = max(self._stats.stall_s_max, seconds)
        log.warning("consensus.loop_stalled", seconds=round(seconds, 3))
        if seconds > timeout_s:
            self._engine.hand_over(patiently=False)

    def _plan_patience(self) -> None:
        self._patience_timer = None
        deadline_s = self._proposals.next_deadline_s()
        if deadline_s is not None and self._is_running:
            delay = max(0.0, deadline_s - self._engine.now()) + _BEHIND_S
            self._patience_timer = self._scheduler.call_later(delay, self._patience_is_over)

    def _patience_is_over(self) -> None:
        # Independent of rounds: a disk that hangs must not keep clients waiting.
        self._proposals.lose_overdue(self._engine.now())
        self._proposals.tell_lost()
        self._plan_patience()
