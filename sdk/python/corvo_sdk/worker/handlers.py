"""Handlers: which function runs the jobs of a queue, and what is wrapped around it."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from corvo_sdk.models.claim import ClaimedJob

#: A generator that yields once: what is before runs before the handler, what is after runs after it.
Middleware = Callable[[ClaimedJob, Any], Iterator[None]]
Wrapping = Callable[[ClaimedJob, Any], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class Handler:
    queue: str
    function: Callable[..., Any]
    #: Whether it is known to return a coroutine. If not it runs in a thread, and a coroutine is awaited all
    #: the same.
    is_async: bool
    #: Whether it wants the context besides the job.
    takes_context: bool

    @classmethod
    def of(cls, queue: str, function: Callable[..., Any]) -> "Handler":
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function!r} is a generator, which would never run: return instead of yield")
        parameters = [
            p
            for p in inspect.signature(function).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)
        ]
        needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
        if not parameters or len(needed) > 2:
            raise TypeError(f"{function!r} must take (job) or (job, ctx)")
        takes_context = len(parameters) > 1 or parameters[0].kind is inspect.Parameter.VAR_POSITIONAL
        # Of a class with an `async def __call__` only that method is known to be a coroutine function.
        ways = (function, getattr(function, "__call__", None))  # noqa: B004 - not whether, but how it is called
        is_async = any(map(inspect.iscoroutinefunction, ways))
        return cls(queue, function, is_async, takes_context)

    def call(self, job: ClaimedJob, context: Any) -> Any:
        """The result, or an awaitable that will have it."""
        return self.function(job, context) if self.takes_context else self.function(job)


async def awaited(result: Any) -> Any:
    """A coroutine may return another one that somebody forgot to await."""
    while inspect.isawaitable(result):
        result = await result
    return result


_BARE: AbstractContextManager[None] = nullcontext()


def wrapped(wrappings: tuple[Wrapping, ...], job: ClaimedJob, context: Any) -> AbstractContextManager[Any]:
    """All of them, the first outermost. Most workers have one at most, and short jobs feel the difference."""
    if not wrappings:
        return _BARE
    if len(wrappings) == 1:
        return wrappings[0](job, context)
    return _nested(wrappings, job, context)


@contextmanager
def _nested(wrappings: tuple[Wrapping, ...], job: ClaimedJob, context: Any) -> Iterator[None]:
    with ExitStack() as stack:
        for wrapping in wrappings:
            stack.enter_context(wrapping(job, context))
        yield
