"""Handover: gives the lead to another node without clients noticing.

    node stops, registrar -> [handover] --CeaseProposing--> batcher, forwarder
                                        --hand over-------> consensus

First nothing new is proposed, what comes is kept; then, when all that was proposed is applied, a follower
that has everything is told to stand for election; then what was kept goes to it.
"""

import asyncio
from typing import Protocol

import structlog

from corvo.actors.cluster.messages import CeaseProposing, TransferEnded
from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.system import System

log = structlog.get_logger()


class Leading(Protocol):
    """The part of consensus that is needed."""

    async def hand_over(self, heir: str | None = None) -> bool:
        """Whether another node leads now."""
        ...


class Handover:
    def __init__(self, system: System, consensus: Leading, *writers: ActorAddress) -> None:
        self._system = system
        self._consensus = consensus
        self._writers = writers
        #: Introduced later, because it needs this one too.
        self.registrar: ActorAddress | None = None
        self._task: asyncio.Task[bool] | None = None

    def begin(self, heir: str | None) -> None:
        """Try it, and tell the registrar how it went. One attempt at a time."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self.run(heir), name="handover")

    async def run(self, heir: str | None = None) -> bool:
        self._tell(ceased=True)
        succeeded = False
        try:
            succeeded = await self._consensus.hand_over(heir)
        finally:
            if not succeeded:
                self._tell(ceased=False)
            if self.registrar is not None:
                self._system.tell(self.registrar, TransferEnded(succeeded))
        if succeeded:
            log.info("lead.handed_over", heir=heir)
        return succeeded

    def _tell(self, *, ceased: bool) -> None:
        for writer in self._writers:
            self._system.tell(writer, CeaseProposing(ceased))
