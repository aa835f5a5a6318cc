"""One vocabulary for both runtimes, so that a test of the shared core is written once.

Both run in virtual time: `advance` costs nothing and no test waits for a real clock.
"""

import asyncio
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.kernel.sim import SimSystem


class VirtualLoop(asyncio.SelectorEventLoop):
    """A real asyncio loop whose clock jumps to the next timer as soon as there is nothing else to do."""

    _now = 0.0

    def time(self):
        return self._now

    def _run_once(self):
        timers = [timer.when() for timer in self._scheduled if not timer.cancelled()]
        if timers and not self._ready:
            self._now = max(self._now, min(timers))
        super()._run_once()


class LoopRuntime:
    """ActorSystem on a virtual loop."""

    def __init__(self):
        self._loop = VirtualLoop()
        self.fail_stops = []
        self.system = self._loop.run_until_complete(self._make())

    async def _make(self):
        return ActorSystem(fail_stop=self.fail_stops.append)

    def ask(self, target, message):
        return self.result(self.system.ask(target, message))

    def result(self, answer):
        return self._loop.run_until_complete(asyncio.wait_for(answer, 3_600))

    def settle(self):
        # The clock moves only when all else is done, so its smallest step is the end of all work.
        self.advance(microseconds=1)

    def advance(self, **period):
        self._loop.call_later(timedelta(**period).total_seconds(), self._loop.stop)
        self._loop.run_forever()

    def stop(self):
        assert self._loop.run_until_complete(self.system.stop(timeout=10)) == ()

    def close(self):
        self._loop.close()


class SimRuntime:
    """SimSystem with one seed."""

    def __init__(self, seed):
        self.fail_stops = []
        self.system = SimSystem(seed, fail_stop=self.fail_stops.append)

    def ask(self, target, message):
        return self.system.ask(target, message).result()

    def result(self, answer):
        return answer.result()

    def settle(self):
        self.system.run_until_idle()

    def advance(self, **period):
        self.system.advance(timedelta(**period))

    def stop(self):
        self.system.stop()

    def close(self):
        pass


@pytest.fixture(autouse=True)
def logs():
    """What was logged. Not printed: these tests crash a lot, and a pretty traceback takes 100 ms."""
    with capture_logs() as entries:
        yield entries


@pytest.fixture(params=["loop", "sim-0", "sim-1", "sim-2"])
def runtime(request):
    kind, _, seed = request.param.partition("-")
    runtime = LoopRuntime() if kind == "loop" else SimRuntime(int(seed))
    yield runtime
    runtime.close()


@pytest.fixture
def system(runtime):
    return runtime.system
