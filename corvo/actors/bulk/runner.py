"""Bulk runner: works off bulk tasks, on the leader only. Each task has an actor of its own.

    fsm --BulkMoved--> [bulk runner] --creates--> [bulk steps] --AddBulkIds, RunBulk--> batcher
                                                      | ^
                                   AwaitIndex, FindIds v | IndexReached, IdsFound
                                                 fsm, mirror reader

A task is in the store before its request is answered, and every step says how far it is. So the next
leader, or this node after a restart, goes on with the step that was not done yet.
"""

from collections.abc import Iterable

from corvo.actors.bulk.messages import BulkListed, BulkMoved, ListUnfinishedBulk
from corvo.actors.bulk.reseal_steps import ResealSteps
from corvo.actors.bulk.resealing import Sealer
from corvo.actors.bulk.steps import BulkSteps
from corvo.actors.kernel.api import Actor, ActorAddress, ActorExitRequest, ChildActorExited
from corvo.actors.state.messages import RoleChanged, Subscribe, Topic
from corvo.core.bulk import ENDED, BulkTask
from corvo.core.clock import Clock
from corvo.ops.job_admin import Action


class BulkRunner(Actor):
    def __init__(
        self,
        batcher: ActorAddress,
        fsm: ActorAddress,
        reader: ActorAddress,
        clock: Clock,
        sealer: Sealer | None = None,
    ) -> None:
        self._batcher = batcher
        self._fsm = fsm
        self._reader = reader
        self._clock = clock
        self._sealer = sealer
        self._leading = False
        self._steps: dict[str, ActorAddress] = {}

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.ROLE, Topic.BULK)))

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        leads = msg.leads
        if leads and not self._leading:
            self.send(self._fsm, ListUnfinishedBulk())
        elif not leads:
            for steps in self._steps.values():
                self.send(steps, ActorExitRequest())
            self._steps.clear()
        self._leading = leads

    def receiveMsg_BulkListed(self, msg: BulkListed, sender: ActorAddress) -> None:
        self._take_up(msg.tasks)

    def receiveMsg_BulkMoved(self, msg: BulkMoved, sender: ActorAddress) -> None:
        self._take_up((msg.task,))

    def _take_up(self, tasks: Iterable[BulkTask]) -> None:
        for task in tasks:
            if not self._leading:
                return
            steps = self._steps.get(task.id)
            if task.status in ENDED:
                if steps is not None:
                    del self._steps[task.id]
                    self.send(steps, ActorExitRequest())
            elif steps is None:
                self._steps[task.id] = self._create(task)

    def _create(self, task: BulkTask) -> ActorAddress:
        known = (self._batcher, self._fsm, self._reader, self._clock, task)
        if task.action == Action.RESEAL and self._sealer is not None:
            return self.createActor(ResealSteps, *known, self._sealer)
        return self.createActor(BulkSteps, *known)

    def receiveMsg_ChildActorExited(self, msg: ChildActorExited, sender: ActorAddress) -> None:
        self._steps = {task: steps for task, steps in self._steps.items() if steps != msg.childAddress}
