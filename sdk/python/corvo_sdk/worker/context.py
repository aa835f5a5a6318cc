"""What a handler can know and do besides its payload. One kind for threads, one for coroutines."""

import asyncio
import logging
import time
from collections.abc import Awaitable, MutableMapping
from typing import Any

import msgspec

from corvo_sdk.models.claim import ClaimedJob
from corvo_sdk.worker.heart import Heart
from corvo_sdk.worker.held import Held
from corvo_sdk.worker.verdicts import JobCancelled, Release

_log = logging.getLogger("corvo.job")


class _JobLog(logging.LoggerAdapter[logging.Logger]):
    """Every line says which job it is about."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        facts = self.extra or {}
        kwargs["extra"] = {**facts, **kwargs.get("extra", {})}
        return f"[{facts['queue']} {facts['job_id']} #{facts['attempt']}] {msg}", kwargs


class _Knowing:
    """What both kinds know."""

    def __init__(self, held: Held, heart: Heart, loop: asyncio.AbstractEventLoop) -> None:
        self._held = held
        self._heart = heart
        self._loop = loop

    @property
    def job(self) -> ClaimedJob:
        return self._held.job

    @property
    def job_id(self) -> str:
        return self._held.job.job_id

    @property
    def queue(self) -> str:
        return self._held.job.queue

    @property
    def tags(self) -> dict[str, str]:
        return self._held.job.tags

    @property
    def attempt(self) -> int:
        """1 for the first."""
        return self._held.job.attempt

    @property
    def fence(self) -> int:
        """Grows with every claim of this job. Store it with what you write and refuse smaller ones: then a
        worker that was thought dead cannot overwrite what its successor wrote."""
        return self._held.job.lease_version

    @property
    def lease_token(self) -> str:
        """Stands for this very claim."""
        return self._held.job.lease_token

    @property
    def cancelled(self) -> bool:
        """The lease is gone. Stop: nothing this handler does from here on counts."""
        return self._held.lost is not None or self._held.left

    @property
    def stopping(self) -> bool:
        """The worker shuts down. Finish soon, or save a checkpoint and `raise Release()`."""
        return self._held.stopping

    @property
    def lease_left_s(self) -> float:
        """How long the lease lasts if no heartbeat gets through any more."""
        return max(0.0, self._held.lease_until_s - time.monotonic())

    @property
    def log(self) -> logging.LoggerAdapter[logging.Logger]:
        job = self._held.job
        return _JobLog(_log, {"job_id": job.job_id, "queue": job.queue, "attempt": job.attempt})

    def check(self) -> None:
        """Call it now and then in a long loop: leaves the handler when there is no sense in going on."""
        if self.cancelled:
            raise JobCancelled(self._held.lost or "released")
        if self._held.stopping:
            raise Release

    def progress(self, value: Any) -> None:
        """Any JSON for people to look at. Sent soon, not at once; a later one replaces an earlier one."""
        raw = msgspec.Raw(msgspec.json.encode(value))
        self._loop.call_soon_threadsafe(self._heart.note_progress, self._held, raw)


class Context(_Knowing):
    """For handlers that are plain functions. In a coroutine that such a function returns, it is used like an
    AsyncContext."""

    def checkpoint(self, value: Any) -> Awaitable[None] | None:
        """Save how far the job is, any JSON. When this returns the server has it, and whoever gets the job
        next finds it in `job.checkpoint`. Leaves the handler if the lease is gone."""
        raw = msgspec.Raw(msgspec.json.encode(value))
        if self.cancelled:
            raise JobCancelled(self._held.lost or "released")
        coroutine = self._heart.checkpoint(self._held, raw)
        if self._is_on_loop():
            # To wait for the loop here would be to wait for ourselves.
            return coroutine
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()
        return None

    def sleep(self, seconds: float) -> None:
        """Like time.sleep, but leaves the handler as soon as the lease is gone."""
        if self._is_on_loop():
            raise TypeError("ctx.sleep would stop all coroutines of the worker: await asyncio.sleep instead")
        self._held.sleep(seconds)
        if self.cancelled:
            raise JobCancelled(self._held.lost or "released")

    def _is_on_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False


class AsyncContext(_Knowing):
    """For handlers that are coroutines. They are cancelled when the lease is gone."""

    async def checkpoint(self, value: Any) -> None:
        """Save how far the job is, any JSON. When this returns the server has it, and whoever gets the job
        next finds it in `job.checkpoint`. Leaves the handler if the lease is gone."""
        await self._heart.checkpoint(self._held, msgspec.Raw(msgspec.json.encode(value)))
