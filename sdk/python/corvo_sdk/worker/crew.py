"""Crew: runs handlers. Plain functions in threads, coroutines on the loop, also those of plain functions.

Threads take jobs from a queue of their own, without asking the loop, and what they decide comes back to the
loop in bunches: a short job costs no wake-up of its own.
"""

import asyncio
import inspect
import queue
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from corvo_sdk.worker.context import AsyncContext, Context
from corvo_sdk.worker.handlers import Handler, Wrapping, awaited, wrapped
from corvo_sdk.worker.heart import Heart
from corvo_sdk.worker.held import Held
from corvo_sdk.worker.judging import Decided, Said, of_error, of_result


class Crew:
    def __init__(
        self,
        handlers: Mapping[str, Handler],
        wrappings: tuple[Wrapping, ...],
        concurrency: int,
        heart: Heart,
        tell: Callable[[Decided], None],
    ) -> None:
        self._handlers = handlers
        self._wrappings = wrappings
        self._concurrency = concurrency
        self._heart = heart
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        # Threads
        self._for_threads: queue.SimpleQueue[Held | None] = queue.SimpleQueue()
        self._decided: deque[Decided] = deque()
        self._woken = False
        # Tasks
        self._for_tasks: deque[Held] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        if any(not handler.is_async for handler in self._handlers.values()):
            for number in range(self._concurrency):
                name = f"corvo-handler-{number}"
                # Daemons: a handler that does not end must not keep the process from ending.
                threading.Thread(target=self._work, name=name, daemon=True).start()

    def stop(self) -> None:
        """Threads end when they are through with what they have begun."""
        for _ in range(self._concurrency):
            self._for_threads.put(None)

    def begin(self, held: Held) -> None:
        if self._handlers[held.job.queue].is_async:
            self._for_tasks.append(held)
            self._start_tasks()
        else:
            self._for_threads.put(held)

    def withdraw(self) -> list[Held]:
        """Take back what nobody has begun."""
        waiting = list(self._for_tasks)
        self._for_tasks.clear()
        while True:
            try:
                held = self._for_threads.get_nowait()
            except queue.Empty:
                return waiting
            if held is not None:
                waiting.append(held)

    # Threads

    def _work(self) -> None:
        while (held := self._for_threads.get()) is not None:
            self._decided.append(self._run(held))
            if not self._woken:
                self._woken = True
                try:
                    self._loop.call_soon_threadsafe(self._collect)
                except RuntimeError:
                    return  # The loop is closed: this job was given back long ago.

    def _run(self, held: Held) -> Decided:
        if held.lost is not None:
            return Decided(held, None)
        held.begin()
        context = Context(held, self._heart, self._loop)
        said: Said
        result = None  # What counts if a middleware swallows the handler's error.
        try:
            with wrapped(self._wrappings, held.job, context):
                result = self._handlers[held.job.queue].call(held.job, context)
                if inspect.isawaitable(result):
                    result = self._await_on_loop(held, result)
            said = of_result(held, result)
        except BaseException as error:
            said = of_error(held, error)
        return Decided(held, said, time.monotonic() - held.began_s)

    def _await_on_loop(self, held: Held, result: Awaitable[Any]) -> Any:
        """The thread keeps its place in the crew until the coroutine is through."""
        ending = asyncio.run_coroutine_threadsafe(_ending(held, result), self._loop).result()
        if isinstance(ending, _Raised):
            raise ending.error
        return ending

    def _collect(self) -> None:
        # First the flag: what is decided from here on wakes the loop again.
        self._woken = False
        while self._decided:
            self._tell(self._decided.popleft())

    # Tasks

    def _start_tasks(self) -> None:
        while self._for_tasks and len(self._tasks) < self._concurrency:
            held = self._for_tasks.popleft()
            task = self._loop.create_task(self._run_async(held))
            held.task = task
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    async def _run_async(self, held: Held) -> None:
        if held.lost is not None:
            self._tell(Decided(held, None))
            return
        held.begin()
        context = AsyncContext(held, self._heart, self._loop)
        said: Said
        result = None  # What counts if a middleware swallows the handler's error.
        try:
            with wrapped(self._wrappings, held.job, context):
                result = await awaited(self._handlers[held.job.queue].call(held.job, context))
            said = of_result(held, result)
        except BaseException as error:
            said = of_error(held, error)
        held.task = None
        self._tell(Decided(held, said, time.monotonic() - held.began_s))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._start_tasks()


@dataclass(frozen=True, slots=True)
class _Raised:
    error: BaseException


async def _ending(held: Held, result: Awaitable[Any]) -> Any:
    """What it returned or raised. Not raised here: some errors would end the loop instead of the job."""
    held.task = asyncio.current_task()
    assert held.task is not None
    if held.lost is not None or held.left:
        # Meanwhile, and nobody could tell the coroutine yet.
        held.task.cancel()
    try:
        return await awaited(result)
    except BaseException as error:
        return _Raised(error)
    finally:
        held.task = None
