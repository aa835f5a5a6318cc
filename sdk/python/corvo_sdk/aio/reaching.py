"""Reaching a host by whichever of its addresses answers first."""

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Callable
from typing import TypeVar

from corvo_sdk.origin import Origin

P = TypeVar("P", bound=asyncio.Protocol)

#: Before the next address is tried beside one that says nothing.
_NEXT_ADDRESS_S = 0.25


async def reach(origin: Origin, protocol: Callable[[], P]) -> P:
    """Connected. Raises OSError.

    asyncio has the same race, but loses sockets when it is cancelled in the middle of it; uvloop has none.
    """
    async with asyncio.timeout(origin.connect_s):
        untried = await _addresses(origin)
        trying: set[asyncio.Task[tuple[asyncio.Transport, P]]] = set()
        error: BaseException | None = None
        try:
            while untried or trying:
                if untried:
                    trying.add(asyncio.create_task(_reach_one(origin, untried.pop(0), protocol)))
                wait_s = _NEXT_ADDRESS_S if untried else None
                done, _ = await asyncio.wait(trying, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    trying.remove(task)
                    error = task.exception()
                    if error is None:
                        return task.result()[1]
        finally:
            for task in trying:
                task.cancel()
                task.add_done_callback(_hang_up)
    raise error or OSError(f"{origin.host} has no address")


async def _addresses(origin: Origin) -> list[str]:
    if _is_address(origin.host):
        return [origin.host]  # Nothing to look up, so no need of a thread, which may be long in coming.
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _is_address(host: str) -> bool:
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(host)
        return True
    return False


async def _reach_one(origin: Origin, address: str, protocol: Callable[[], P]) -> tuple[asyncio.Transport, P]:
    tls = origin.tls()
    return await asyncio.get_running_loop().create_connection(
        protocol, address, origin.port, ssl=tls, server_hostname=origin.host if tls else None
    )


def _hang_up(task: asyncio.Task[tuple[asyncio.Transport, P]]) -> None:
    """Too late: somebody else was first, or nobody waits any more."""
    if not task.cancelled() and task.exception() is None:
        task.result()[0].abort()
