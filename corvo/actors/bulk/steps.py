"""Bulk steps: one bulk task, step by step. First its jobs are found and written down, then they are acted on.

Every step goes through the log, one at a time, so that other writes get their turn in between. What a step
comes to is the task as it stands then, and the next step follows from that alone.
"""

from datetime import timedelta

import msgspec
import structlog

from corvo.actors.kernel.api import Actor, ActorAddress, PoisonMessage, Refused, WakeupMessage
from corvo.actors.mirror.messages import FindIds, IdsFound, SearchRequest
from corvo.actors.state.questions import AwaitIndex, IndexReached
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.core.bulk import ENDED, BulkStatus, BulkTask, step_jobs
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import BulkRefused, CorvoError, Stale, ValidationFailed
from corvo.core.ids import ID_BYTES
from corvo.ops.base import Op
from corvo.ops.bulk import AddBulkIds, CancelBulk, RunBulk, StartBulk
from corvo.ops.results import BulkChanged

log = structlog.get_logger()

_RETRY_AFTER = timedelta(milliseconds=500)
#: Ids looked for at once; they make several steps.
_IDS_AT_ONCE = 5_000

_decode_filter = msgspec.json.Decoder(SearchRequest).decode


class BulkSteps(Actor):
    def __init__(
        self, batcher: ActorAddress, fsm: ActorAddress, reader: ActorAddress, clock: Clock, task: BulkTask
    ) -> None:
        self._batcher = batcher
        self._fsm = fsm
        self._reader = reader
        self._clock = clock
        self._task = task
        #: When the step under way began, and how many jobs were done by then: what a pace is kept by.
        self._began_ns = clock.monotonic_ns()
        self._began_at = task.processed

    def started(self) -> None:
        self._go_on()

    def _go_on(self) -> None:
        task = self._task
        if task.status is BulkStatus.QUEUED and task.filter is not None:
            # The node that took the task may have seen jobs that are not in this node's mirror yet.
            self.send(self._fsm, AwaitIndex(0, 0))
        elif task.status is BulkStatus.RUNNING:
            self._began_ns = self._clock.monotonic_ns()
            self._began_at = task.processed
            self.run_step()

    def run_step(self) -> None:
        self._submit(RunBulk(self._task.id, self._task.next_chunk))

    # Finding

    def receiveMsg_IndexReached(self, msg: IndexReached, sender: ActorAddress) -> None:
        task = self._task
        assert task.filter is not None
        try:
            query = _decode_filter(task.filter).query(task.reach)
        except (ValidationFailed, msgspec.MsgspecError) as error:
            self._submit(self._given_up(f"the filter cannot be read: {error}"))
            return
        self.send(self._reader, FindIds(query, task.cursor, _IDS_AT_ONCE, msg.index))

    def receiveMsg_IdsFound(self, msg: IdsFound, sender: ActorAddress) -> None:
        if msg.stale:
            self._retry(Stale("the search view is behind"))
            return
        task, size = self._task, step_jobs(self._task.rate)
        parts = [msg.ids[start : start + size] for start in range(0, len(msg.ids), size)]
        ops: list[Op] = [
            AddBulkIds(task.id, chunk, part, msg.cursor) for chunk, part in enumerate(parts, task.chunks)
        ]
        if msg.cursor is None:
            ops.append(StartBulk(task.id, task.chunks + len(parts)))
        self._submit(*ops, size_bytes=len(msg.ids) * ID_BYTES)

    def receiveMsg_ValidationFailed(self, msg: ValidationFailed, sender: ActorAddress) -> None:
        self._submit(self._given_up(f"the search is refused: {msg.message}"))

    def receiveMsg_CorvoError(self, msg: CorvoError, sender: ActorAddress) -> None:
        self._retry(msg)

    # Steps

    def _given_up(self, error: str) -> CancelBulk:
        return CancelBulk(self._task.id, error, self._task.reach)

    def _submit(self, *ops: Op, size_bytes: int = 0) -> None:
        self.send(self._batcher, Submit(ops, size_bytes))

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        last = msg.outcomes[-1]
        if isinstance(last, BulkChanged):
            self._task = last.task
            if self._task.status not in ENDED:
                self.wakeupAfter(self._pause())
        elif not isinstance(last, BulkRefused):
            assert isinstance(last, CorvoError)
            self._retry(last)
        # A task that refuses a step has ended meanwhile; the runner will say so.

    def _pause(self) -> timedelta:
        """How long to wait so that the step just done takes as long as its pace says."""
        task = self._task
        if task.rate is None or task.status is not BulkStatus.RUNNING:
            return timedelta(0)
        due_ns = self._began_ns + (task.processed - self._began_at) * NS_PER_S // task.rate
        return timedelta(microseconds=max(0, due_ns - self._clock.monotonic_ns()) // 1_000)

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        # Also if the outcome is unknown: a step is done only if it is the next one.
        self._retry(msg.error)

    def _retry(self, error: CorvoError) -> None:
        log.warning("bulk.step_refused", task=self._task.id, code=error.code, error=error.message)
        self.wakeupAfter(_RETRY_AFTER)

    def receiveMsg_Refused(self, msg: Refused, sender: ActorAddress) -> None:
        self.wakeupAfter(_RETRY_AFTER)

    def receiveMsg_PoisonMessage(self, msg: PoisonMessage, sender: ActorAddress) -> None:
        self.wakeupAfter(_RETRY_AFTER)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        self._go_on()
