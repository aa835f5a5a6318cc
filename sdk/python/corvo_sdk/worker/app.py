"""The worker people write: tasks registered by a decorator, and one call that runs them."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Any, Literal, TypeVar, Unpack

from corvo_sdk import tracing
from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.durations import Duration, as_seconds
from corvo_sdk.settings import ClientOptions, Settings, settings
from corvo_sdk.worker.automatic import Automatic
from corvo_sdk.worker.coded import Coded
from corvo_sdk.worker.handlers import Handler, Middleware, Wrapping
from corvo_sdk.worker.metrics import Metrics
from corvo_sdk.worker.runtime import Plan, Runtime
from corvo_sdk.worker.signals import heard_by
from corvo_sdk.worker.streaming import Streams
from corvo_sdk.worker.transport import LongPoll, Transport, new_worker_id

F = TypeVar("F", bound=Callable[..., Any])

_LEASE_S_LEAST = 3
#: A server that does not answer is asked anew after a third of a lease, but not sooner than this: then there
#: is time left to keep the lease over another connection.
_ANSWER_S_LEAST = 5.0


class WorkerOptions(ClientOptions, total=False):
    """How a worker works. What a Client takes may be given too."""

    #: Jobs handled at once: threads for plain functions, tasks for coroutines. Default 8.
    concurrency: int
    #: How long the server waits for a sign of life before it gives a job to somebody else. Default 60 s.
    lease: Duration
    #: How long handlers may go on after SIGTERM. Default 25 s: Kubernetes kills after 30.
    grace: Duration
    worker_id: str
    metrics: Metrics
    #: auto (the default): the stream, and long-poll where there is no way through for streams.
    transport: Literal["auto", "stream", "long-poll"]
    #: Whether the stream goes over HTTP/2, with `corvo-sdk[http2]`. Left out: over TLS if both sides can,
    #: in the clear no. True: in the clear, too. Where it is not understood, HTTP/1.1 is spoken.
    http2: bool
    #: Port, or (host, port), of a health endpoint; port 0 for any that is free.
    health: int | tuple[str, int]


class Worker:
    """Takes jobs from a server and runs the functions registered for their queues.

    Every job runs at least once and is committed once, by a lease that nobody else holds. A handler may run
    again after a crash, and should be able to stand that: see `ctx.checkpoint` and `ctx.fence`.
    """

    def __init__(self, url: str | None = None, **options: Unpack[WorkerOptions]) -> None:
        self._url = url
        self._options = options
        self._concurrency = options.get("concurrency", 8)
        self._lease_s = round(as_seconds(options.get("lease", 60)))
        if self._concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        if not _LEASE_S_LEAST <= self._lease_s <= 3_600:
            raise ValueError(f"lease must be between {_LEASE_S_LEAST} s and 1 h")
        self.worker_id = options.get("worker_id") or new_worker_id()
        self._made_in = os.getpid()
        self._handlers: dict[str, Handler] = {}
        self._wrappings: list[Wrapping] = []
        self._runtime: Runtime | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    # Registering

    def task(self, *queues: str) -> Callable[[F], F]:
        """`@worker.task("emails")`: this function runs the jobs of that queue.

        It takes (job) or (job, ctx). What it returns, if it is JSON, is the job's result; what it raises
        decides what becomes of the job: see Retry, Dead, Release, Hold. Any other error is a failed attempt.
        """
        if not queues:
            raise ValueError("name at least one queue")

        def register(function: F) -> F:
            for queue in queues:
                if queue in self._handlers:
                    raise ValueError(f"queue {queue!r} has a task already")
                self._handlers[queue] = Handler.of(queue, function)
            return function

        return register

    def middleware(self, function: Middleware) -> Middleware:
        """A generator `(job, ctx)` that yields once, wrapped around every handler; the first is outermost.

        It runs where the handler runs, so around a coroutine it must not block.
        """
        self._wrappings.append(contextmanager(function))
        return function

    @property
    def queues(self) -> list[str]:
        return list(self._handlers)

    # Running

    def run(self) -> None:
        """Work until SIGTERM or SIGINT. A second signal does not wait for handlers."""
        asyncio.run(self.run_async(signals=True))

    async def run_async(
        self, *, signals: bool = False, url: str | None = None, queues: Sequence[str] | None = None
    ) -> None:
        """The same inside a program that has a loop. Ends after `stop`, or in a hurry when it is cancelled.

        `url` and `queues` replace those the worker was made with, for this run.
        """
        runtime = self._make(url or self._url, queues)
        self._loop = asyncio.get_running_loop()
        self._runtime = runtime
        try:
            with heard_by(runtime.signalled) if signals else nullcontext():
                await runtime.run()
        finally:
            self._runtime = None
            self._loop = None

    def stop(self, *, hurry: bool = False) -> None:
        """From any thread: stop in an orderly way; in a hurry, do not wait for handlers."""
        loop, runtime = self._loop, self._runtime
        if loop is not None and runtime is not None:
            with suppress(RuntimeError):  # It has ended meanwhile.
                loop.call_soon_threadsafe(runtime.ask_to_stop, hurry)

    @contextmanager
    def running(self, *, url: str | None = None, queues: Sequence[str] | None = None) -> Iterator["Worker"]:
        """In a thread of its own while the `with` lasts. For tests and small programs."""
        failures: list[BaseException] = []
        ready = threading.Event()

        async def work() -> None:
            asyncio.get_running_loop().call_soon(ready.set)
            await self.run_async(url=url, queues=queues)

        def thread() -> None:
            try:
                asyncio.run(work())
            except BaseException as error:
                failures.append(error)
            finally:
                ready.set()

        worker = threading.Thread(target=thread, name="corvo-worker", daemon=True)
        worker.start()
        ready.wait()
        try:
            yield self
        finally:
            self.stop()
            worker.join()
        if failures:
            raise failures[0]

    def figures(self) -> dict[str, Any]:
        """What the health endpoint shows; empty while the worker does not run."""
        return {} if self._runtime is None else self._runtime.figures()

    @property
    def health_port(self) -> int:
        return 0 if self._runtime is None else self._runtime.health.port

    def _make(self, url: str | None, queues: Sequence[str] | None) -> Runtime:
        handlers = {queue: self._handlers[queue] for queue in queues or self._handlers}
        if not handlers:
            raise ValueError("the worker has no tasks; register some with @worker.task")
        if self._made_in != os.getpid() and not self._options.get("worker_id"):
            # Made before a fork: the parent and every other child have this name, too.
            self.worker_id, self._made_in = new_worker_id(), os.getpid()
        given: dict[str, Any] = dict(self._options)
        health = given.get("health")
        if isinstance(health, int):
            health = ("0.0.0.0", health)  # noqa: S104 - a probe comes from outside
        wrappings = list(self._wrappings)
        if tracing.installed():
            wrappings.insert(0, tracing.wrapping())
        plan = Plan(
            worker_id=self.worker_id,
            handlers=handlers,
            wrappings=tuple(wrappings),
            concurrency=self._concurrency,
            lease_s=self._lease_s,
            grace_s=as_seconds(self._options.get("grace", 25)),
            metrics=self._options.get("metrics"),
            health=health,
        )
        for_client: Any = {name: given[name] for name in ClientOptions.__annotations__ if name in given}
        where = settings(url, for_client)
        answer_s = min(where.timeout_s, max(_ANSWER_S_LEAST, self._lease_s / 3))
        # Decoded once, around whatever transport: its own connections know nothing of it.
        transport = self._transport(replace(where, timeout_s=answer_s, codec=None), plan)
        return Runtime(plan, transport if where.codec is None else Coded(transport, where.codec))

    def _transport(self, where: Settings, plan: Plan) -> Transport:
        wanted = self._options.get("transport", "auto")
        long_poll = LongPoll(AsyncConnection(where), self.worker_id, lease_s=self._lease_s)
        # A proxy is asked for by those whose network needs one; streams do not get through most of them.
        if wanted == "long-poll" or where.proxy is not None:
            return long_poll
        keys = [tuple(queues) for queues in plan.by_kind()]
        http2 = self._options.get("http2")
        streams = Streams(where, self.worker_id, keys, lease_s=self._lease_s, http2=http2)
        return streams if wanted == "stream" else Automatic(streams, long_poll)
