"""A real node in the test's own loop: real sockets, real LevelDB, real journal."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from corvo.config import Config
from corvo.core.clock import Clock
from corvo.node.node import Node
from tests.support.client import Client

#: `CORVO_TEST_EDGE=granian` and `CORVO_TEST_EDGE_WORKERS=2` run the same tests on another edge.
EDGE = {
    "edge": os.environ.get("CORVO_TEST_EDGE", "hypercorn"),
    "edge_workers": int(os.environ.get("CORVO_TEST_EDGE_WORKERS", "0")),
}
#: `CORVO_TEST_SEAL=keys.json` runs the same tests with every queue sealed; those that search texts then fail.
SEAL = {"seal": "*/*", "seal_keys": os.environ["CORVO_TEST_SEAL"]} if "CORVO_TEST_SEAL" in os.environ else {}


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
    defaults = {"bind": "127.0.0.1:0", "data_dir": str(folder), "shutdown_timeout": 2_000}
    config = Config(**(defaults | EDGE | SEAL | settings))
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
