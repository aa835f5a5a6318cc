"""Discovery: finds the other nodes by a DNS name that has one address per node, such as a headless service.

    settings -> [discovery] -> clustering

A node with an empty folder asks every node it finds to be taken in. Only the first node (the one whose name
ends in 0, or, if names end in no number, the one with the lowest address) may begin the cluster, and only if
as many nodes as expected are there and none of them belongs to a cluster: so the cluster is begun once.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from corvo.config import Config
from corvo.node.clustering import AskNode, Newcomer

log = structlog.get_logger()

#: Host names to addresses.
ResolveName = Callable[[str], Awaitable[list[str]]]

_ROUND_S: Final = 1.0
#: How long one node is given to answer; a node that waits to be taken in itself does not answer.
_VISIT_S: Final = 2.0
#: Rounds in which enough nodes were found, and no member among them, before the first begins a cluster.
_ROUNDS_BEFORE_BEGINNING: Final = 3
_ORDINAL: Final = re.compile(r"(\d+)$")


async def resolve(name: str) -> list[str]:
    """All addresses of a name, in order; none if it is not known yet."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return sorted({str(row[4][0]) for row in found})


class Discovery:
    def __init__(self, config: Config, raft_address: str, resolve: ResolveName = resolve) -> None:
        self._config = config
        self._own_host, _, self._port = raft_address.rpartition(":")
        self._resolve = resolve

    async def find(self, visitor: Newcomer, ask: AskNode) -> dict[str, str] | None:
        """The members that took this node in, or None if it is to begin the cluster."""
        rounds = 0
        while True:
            everybody = await self._resolve(self._config.discover_dns_name)
            own = set(await self._resolve(self._own_host.strip("[]")))
            for address in everybody:
                if address not in own:
                    members = await self._visit(visitor, ask, address)
                    if members is not None:
                        return members
            enough = len(everybody) >= max(1, self._config.bootstrap_expect)
            rounds = rounds + 1 if enough else 0
            if rounds >= _ROUNDS_BEFORE_BEGINNING and self._is_first(everybody, own):
                log.info("cluster.begun", expected=self._config.bootstrap_expect, found=everybody)
                return None
            log.info("cluster.waiting", name=self._config.discover_dns_name, found=everybody)
            await asyncio.sleep(_ROUND_S)

    async def _visit(self, visitor: Newcomer, ask: AskNode, address: str) -> dict[str, str] | None:
        host = f"[{address}]" if ":" in address else address
        try:
            async with asyncio.timeout(_VISIT_S):
                return await visitor.try_join(ask, f"{host}:{self._port}", quietly=True)
        except TimeoutError:
            return None

    def _is_first(self, everybody: list[str], own: set[str]) -> bool:
        ordinal = _ORDINAL.search(self._config.node_id)
        if ordinal is not None:
            return int(ordinal[1]) == 0  # As the members of a StatefulSet are numbered.
        return bool(everybody) and everybody[0] in own
