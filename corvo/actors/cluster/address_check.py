"""Address check: sees which node listens at an address before that address is made a member's.

    registrar -> [address check] ~~> the node there
    registrar <--AddressLookedAt-- [address check]

Whoever may call `POST /cluster/join` can name any address. Nothing is sent there but the beginning of a
handshake until the other side has proven to know the cluster's secret, or shown a certificate.
"""

import asyncio
from typing import Any, Protocol

from corvo.actors.cluster.messages import AddressLookedAt
from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.system import System
from corvo.consensus.link.join_client import JoinRequestFailed, NodeFound


class Looking(Protocol):
    """The part of consensus that is needed."""

    async def look(self, address: str) -> NodeFound: ...


class AddressCheck:
    def __init__(self, system: System, consensus: Looking) -> None:
        self._system = system
        self._consensus = consensus
        #: Introduced later, because it needs this one too.
        self.registrar: ActorAddress | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, tag: Any, address: str) -> None:
        """Look, and tell the registrar what was found."""
        task = asyncio.get_running_loop().create_task(self._look(tag, address), name="address check")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _look(self, tag: Any, address: str) -> None:
        try:
            found = await self._consensus.look(address)
            answer = AddressLookedAt(tag, found.node_id, found.key)
        except JoinRequestFailed as failure:
            answer = AddressLookedAt(tag, "", "", str(failure))
        if self.registrar is not None:
            self._system.tell(self.registrar, answer)
