"""Reseal steps: a bulk task that seals its jobs with the current key.

    fsm --BulkIdsFound, StoredRead--> [reseal steps] --Reseal, RunBulk--> batcher

The state machine has no keys, so what a step comes to is computed here and travels in ops of its own; the op
that ends the step only counts. A step that is done a second time finds everything sealed as it should be.
"""

from corvo.actors.bulk.messages import BulkIdsFound, FindBulkIds, ReadStored, StoredRead
from corvo.actors.bulk.resealing import PART_BYTES, Sealer, resealed
from corvo.actors.bulk.steps import BulkSteps, log
from corvo.actors.kernel.api import ActorAddress
from corvo.actors.write.messages import Answer
from corvo.core.bulk import BulkTask
from corvo.core.clock import Clock
from corvo.core.errors import SealDamaged, SealKeyMissing
from corvo.ops.bulk import CancelBulk
from corvo.ops.reseal import Reseal, ResealedJob
from corvo.ops.results import Upkept


class ResealSteps(BulkSteps):
    def __init__(
        self,
        batcher: ActorAddress,
        fsm: ActorAddress,
        reader: ActorAddress,
        clock: Clock,
        task: BulkTask,
        sealer: Sealer,
    ) -> None:
        super().__init__(batcher, fsm, reader, clock, task)
        self._sealer = sealer
        #: Jobs of the step that were not looked at yet, and what has to be written of those that were.
        self._left: list[str] = []
        self._parts: list[ResealedJob] = []

    def run_step(self) -> None:
        if self._sealer.keyring.current is None:
            error = "this node has no keys to seal with; give it --seal-keys"
            self._submit(CancelBulk(self._task.id, error))
            return
        self.send(self._fsm, FindBulkIds(self._task.id, self._task.next_chunk))

    def receiveMsg_BulkIdsFound(self, msg: BulkIdsFound, sender: ActorAddress) -> None:
        self._left, self._parts = msg.job_ids, []
        self._look_on()

    def _look_on(self) -> None:
        if self._parts:
            self._write()
        elif self._left:
            self.send(self._fsm, ReadStored(self._left, PART_BYTES, self._task.reach))
        else:
            super().run_step()

    def receiveMsg_StoredRead(self, msg: StoredRead, sender: ActorAddress) -> None:
        self._left = self._left[msg.count :]
        for stored in msg.jobs:
            try:
                self._parts += resealed(self._sealer, stored)
            except (SealKeyMissing, SealDamaged) as error:
                log.warning("seal.not_resealed", job=stored.job.id, code=error.code, reason=error.message)
        self._look_on()

    def _write(self) -> None:
        parts: list[ResealedJob] = []
        size = 0
        while self._parts and size < PART_BYTES:
            part = self._parts.pop(0)
            parts.append(part)
            size += sum(len(value) for _, value in part.values.values())
            size += sum(len(error.error) + len(error.backtrace or "") for _, error in part.errors.values())
        self._submit(Reseal(parts), size_bytes=size)

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        if isinstance(msg.outcomes[-1], Upkept):
            self._look_on()
        else:
            super().receiveMsg_Answer(msg, sender)
