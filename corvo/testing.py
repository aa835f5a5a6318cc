"""A real node for tests: in this process, in a thread of its own, with a clock that can be pushed forward.

    with LocalServer() as server:
        ...requests to server.url...
        server.clock.advance("2h")

Everything is real, sockets and storage included, but nothing is fsynced and the folder is thrown away. SDKs
build their testing aids on it; `corvo_sdk.testing` is the Python one.
"""

import asyncio
import concurrent.futures
import contextlib
import tempfile
import threading
from collections.abc import Coroutine
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from corvo.actors.kernel.api import WakeupMessage
from corvo.actors.time.messages import LookDue
from corvo.config import Config
from corvo.core.clock import NS_PER_MS, SystemClock
from corvo.core.times import parse_duration_ms
from corvo.node.node import Node
from corvo.storage import keys

#: What is due that `settle` waits for; cleaning up is not among it.
_PROMPT = (keys.DUE, keys.LEASE, keys.EXPIRY, keys.RESOLVING, keys.SCHEDULE_DUE)
_SETTLE_S_MAX = 30.0


class _AheadClock(SystemClock):
    """The machine's clock, so many nanoseconds ahead."""

    def __init__(self) -> None:
        self.ahead_ns = 0

    def now_ns(self) -> int:
        return super().now_ns() + self.ahead_ns


class TestClock:
    """The server's clock. It runs as the machine's does, and can be pushed forward."""

    def __init__(self, server: "LocalServer", clock: _AheadClock) -> None:
        self._server = server
        self._clock = clock

    def now_ns(self) -> int:
        return self._clock.now_ns()

    def advance(self, by: str | float | timedelta) -> None:
        """By "2h", seconds, or a timedelta. Returns when everything that is due by then has been done.

        A job whose lease ends meanwhile loses it, as it would in real time.
        """
        if isinstance(by, timedelta):
            by = by.total_seconds()
        ms = parse_duration_ms(by, "by") if isinstance(by, str) else round(by * 1_000)
        if ms < 0:
            raise ValueError("a clock can only be pushed forward")
        self._clock.ahead_ns += ms * NS_PER_MS
        self._server.settle()


class LocalServer:
    """A node for the time of a `with`. Its settings are those of `corvo serve`."""

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._clock = _AheadClock()
        self.clock = TestClock(self, self._clock)
        self._closing = contextlib.ExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._node: Node | None = None
        self._failure: str | None = None

    @property
    def url(self) -> str:
        assert self._node is not None, "the server does not run; use it in a `with`"
        return f"{self._node.scheme}://{self._node.address}"

    def __enter__(self) -> Self:
        folder = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="corvo-test-"))
        defaults: dict[str, Any] = {
            "bind": "127.0.0.1:0",
            "data_dir": f"{folder}/data",
            "durable": "off",
            "shutdown_timeout": 1_000,
        }
        config = Config(**(defaults | self._settings))
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="corvo-server", daemon=True)
        thread.start()
        self._closing.callback(self._loop.close)
        self._closing.callback(thread.join)
        self._closing.callback(lambda: self._loop and self._loop.call_soon_threadsafe(self._loop.stop))
        try:
            self._node = self._call(Node.start(config, clock=self._clock, fail_stop=self._fail))
        except BaseException:
            self._closing.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._node is not None
        try:
            self._call(self._node.stop())
        finally:
            self._closing.close()
            self._node = None
        if self._failure is not None and error is None:
            raise AssertionError(f"the server stopped itself: {self._failure}")

    def settle(self) -> None:
        """Have the scheduler look at the clock, and wait until nothing is overdue."""
        self._call(self._settle())

    async def _settle(self) -> None:
        assert self._node is not None
        system, actors = self._node.system, self._node.actors
        async with asyncio.timeout(_SETTLE_S_MAX):
            while True:
                # They sleep by the machine's clock, which was not pushed.
                for sleeper in (actors.scheduler, actors.schedule_firer):
                    system.tell(sleeper, WakeupMessage(timedelta()))
                due = [await system.ask(actors.fsm, LookDue(family)) for family in _PROMPT]
                now_ns = self._clock.now_ns()
                if not any(found.at_ns is not None and found.at_ns <= now_ns for found in due):
                    return
                await asyncio.sleep(0.005)

    def _fail(self, reason: str) -> None:
        self._failure = reason

    def _call(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        assert self._loop is not None
        future: concurrent.futures.Future[Any] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result()
