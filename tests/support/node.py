"""A real node in the test's own loop: real sockets, real LevelDB, real journal."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from corvo.config import Config
from corvo.core.clock import Clock
from corvo.wiring import Node
from tests.support.client import Client


class Failed(Exception):
    """The node stopped itself."""


def _fail(reason: str) -> None:
    raise Failed(reason)


class RunningNode:
    def __init__(self, node: Node) -> None:
        self.node = node
        self.client = Client(node.address)

    @property
    def address(self) -> str:
        return self.node.address


@asynccontextmanager
async def running(folder: Path, clock: Clock | None = None, **settings: Any) -> AsyncIterator[RunningNode]:
    config = Config(
        **({"bind": "127.0.0.1:0", "data_dir": str(folder), "shutdown_timeout": 2_000} | settings)
    )
    node = await Node.start(config, clock=clock, fail_stop=_fail)
    try:
        yield RunningNode(node)
    finally:
        await node.stop()


async def until(condition: Callable[[], Any], *, seconds: float = 10.0) -> Any:
    """Wait for a fact. A condition may be async."""
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(0.005)
