"""Corvo itself: by the worker stream, from a generator that costs little, and by its Python SDK."""

import asyncio
import sys

import corvo
from bench.peers.install import PROGRAMS
from bench.peers.peer import WORKERS, Peer
from chaos.process import Client
from corvo.cli.bench.figures import BenchFigures
from corvo.cli.bench.load import Load
from corvo.cli.bench.plan import BenchPlan, Mode
from corvo.cli.request.client import Target

_BULK = 50
_PRODUCERS = 4


class Corvo(Peer):
    durability = "fsync before each answer, shared by all that wait (its default)"

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        super().__init__()

    def install(self) -> str:
        return " ".join(["Corvo", corvo.__version__, *self._flags])

    def serve(self) -> list[list[str]]:
        place = ["--data-dir", str(self.folder / "data"), "--bind", f"127.0.0.1:{self.port}"]
        return [[sys.executable, "-m", "corvo", "serve", *place, *self._flags]]

    def is_up(self) -> bool:
        if not super().is_up():
            return False
        try:
            return Client(self.port).call("GET", "/healthz")[0] == 200
        except OSError:
            return False

    def held(self) -> int:
        _, queue = Client(self.port).call("GET", "/api/v1/queues/bench")
        return sum(queue[state] for state in ("pending", "active", "retrying"))

    @property
    def server(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def produce(self) -> list[str]:
        return [sys.executable, str(PROGRAMS / "corvo_app.py")]

    def work(self) -> list[list[str]]:
        return [[*self.produce(), "work"]]


class CorvoSdk(Corvo):
    name = "corvo-sdk"
    title = "Corvo, Python SDK"
    setting = "bulks of 50; 1 process of 8 threads"


class CorvoOneByOne(CorvoSdk):
    """For those peers that have no bulks."""

    name = "corvo-single"
    title = "Corvo, SDK, one by one"
    setting = "one by one; 1 process of 8 threads"

    def produce(self) -> list[str]:
        return ["env", "PEER_BULK=1", *super().produce()]


class CorvoStream(Corvo):
    name = "corvo"
    title = "Corvo, stream"
    setting = "lines of 50; 4 producers and 8 workers in one process, acks travel with the next fetch"

    def load(self, mode: Mode, seconds: float, rate: float = 0.0) -> BenchFigures:
        """The generator's own figures: only what the server has acknowledged."""
        latency = mode == "latency"
        plan = BenchPlan(
            mode=mode,
            way="stream",
            queues=("bench",),
            jobs=None,
            duration_s=seconds,
            producers=1 if latency else _PRODUCERS,
            workers=WORKERS,
            enqueue_batch=1 if latency else _BULK,
            fetch_batch=1 if latency else _BULK,
            payload_bytes=92,
            rate=rate,
        )
        figures = BenchFigures()
        load = Load(Target(self.server), plan, figures, lambda _phase, _done, _total: None)
        asyncio.run(load.run())
        return figures
