"""The measurements of a peer, on servers with nothing in them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench.peers import records
from bench.peers.kinds.corvo import CorvoStream
from bench.peers.peer import Peer
from bench.peers.processes import Process, until

#: Processes that enqueue; Python clients are slow, one would not load a quick server.
PRODUCERS = 2
#: Jobs that may wait before producers pause, so that workers set the pace.
AHEAD = 2_000
#: The same before kill -9: what is left must be worked off by the slowest.
CRASH_AHEAD = 300
LATENCY_RATE = 100.0
_WARM_UP_JOBS = 64
#: Between the numbers of two producers.
_STRIDE = 10_000_000


@dataclass
class Sizes:
    enqueue_s: float = 4.0
    lifecycle_s: float = 6.0
    latency_s: float = 4.0
    crash_s: float = 2.0
    #: Without progress for so long after the restart, what is missing counts as lost or late.
    patience_s: float = 10.0


QUICK = Sizes(enqueue_s=1.0, lifecycle_s=1.5, latency_s=1.5, crash_s=1.0, patience_s=6.0)


@dataclass
class Row:
    name: str
    title: str
    durability: str
    setting: str
    versions: str = ""
    enqueue: float = 0.0
    lifecycle: float = 0.0
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    server_mb: float = 0.0
    workers_mb: float = 0.0
    #: Of the run with kill -9.
    accepted: int = 0
    lost: int = 0
    #: Not done either, but the server still has them: late.
    held: int = 0
    twice: int = 0
    problems: list[str] = field(default_factory=list)


def measure(peer: Peer, row: Row, sizes: Sizes) -> None:
    steps = {"enqueue": _enqueue, "latency and lifecycle": _work, "kill -9": _crash}
    for name, step in steps.items():
        _forget(peer)
        try:
            peer.start()
            step(peer, row, sizes)
        except (AssertionError, OSError, TimeoutError) as problem:
            row.problems.append(f"{name}: {problem}")
        finally:
            peer.kill()


def _forget(peer: Peer) -> None:
    """Empty files; whoever has them open appends."""
    for file in (peer.done, peer.accepted):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")


def _enqueue(peer: Peer, row: Row, sizes: Sizes) -> None:
    if isinstance(peer, CorvoStream):
        jobs, seconds = peer.load("enqueue", sizes.enqueue_s).phases["enqueue"]
        row.enqueue = jobs / seconds
        return
    with _producing(peer, "--seconds", f"{sizes.enqueue_s}") as producers:
        for producer in producers:
            assert producer.wait(sizes.enqueue_s + 30) == 0, f"a producer failed; see {producer.log}"
    row.enqueue = records.count(peer.accepted) / sizes.enqueue_s


def _work(peer: Peer, row: Row, sizes: Sizes) -> None:
    if isinstance(peer, CorvoStream):
        waits = peer.load("latency", sizes.latency_s, LATENCY_RATE).latencies_ms["start"]
        jobs, seconds = peer.load("mixed", sizes.lifecycle_s).phases["mixed"]
        row.lifecycle = jobs / seconds
        row.server_mb = peer.memory_mb()
    else:
        with _working(peer) as workers:
            waits = _latency(peer, sizes, workers)
            _forget(peer)
            _lifecycle(peer, row, sizes, workers)
    row.p50_ms, row.p99_ms = records.quantile(waits, 0.5), records.quantile(waits, 0.99)


def _latency(peer: Peer, sizes: Sizes, workers: dict[int, Process]) -> list[float]:
    flags = ("--rate", f"{LATENCY_RATE}", "--seconds", f"{sizes.latency_s}")
    with _producing(peer, *flags, count=1) as producers:
        producers[0].wait(sizes.latency_s + 30)
        _drain(peer, sizes.patience_s, workers)
    return [us / 1_000 for _, us in records.read(peer.done)]


def _lifecycle(peer: Peer, row: Row, sizes: Sizes, workers: dict[int, Process]) -> None:
    seconds = f"{sizes.lifecycle_s + 1}"
    with _producing(peer, "--ahead", f"{AHEAD}", "--seconds", seconds):
        until(lambda: records.count(peer.accepted) > 0, 30, "the first job to be accepted")
        began = time.monotonic()
        time.sleep(sizes.lifecycle_s)
        row.lifecycle = records.count(peer.done) / (time.monotonic() - began)
        row.server_mb = peer.memory_mb()
        row.workers_mb = sum(worker.memory_mb() for worker in workers.values())


def _crash(peer: Peer, row: Row, sizes: Sizes) -> None:
    """kill -9 of the server while jobs come in and wait. It is started again, as are workers that ended."""
    with _working(peer) as workers:
        with _producing(peer, "--ahead", f"{CRASH_AHEAD}"):
            until(lambda: records.count(peer.accepted) > 0, 30, "the first job to be accepted")
            time.sleep(sizes.crash_s)
            # So that the quick ones, too, have something to lose.
            for worker in workers.values():
                worker.pause()
            until(lambda: _waiting(peer) >= CRASH_AHEAD // 4, 20, "jobs to wait")
            peer.kill()
        for worker in workers.values():
            worker.resume()
        peer.restart()
        _drain(peer, sizes.patience_s, workers)
        held = peer.held()
    done = [number for number, _ in records.read(peer.done)]
    accepted = {number for number, _ in records.read(peer.accepted)}
    row.accepted = len(accepted)
    missing = len(accepted - set(done))
    row.held = min(missing, held)
    row.lost = missing - row.held
    row.twice = len(done) - len(set(done))


def _waiting(peer: Peer) -> int:
    return records.count(peer.accepted) - records.count(peer.done)


# Producers and workers


@contextmanager
def _producing(peer: Peer, *flags: str, count: int = PRODUCERS) -> Iterator[list[Process]]:
    producers = [
        peer.run([*peer.produce(), "--accepted", str(peer.accepted), f"--first={number * _STRIDE}", *flags])
        for number in range(count)
    ]
    try:
        yield producers
    finally:
        for producer in producers:
            producer.kill()


@contextmanager
def _working(peer: Peer) -> Iterator[dict[int, Process]]:
    """Workers by their number among the peer's commands."""
    workers = {number: peer.run(command) for number, command in enumerate(peer.work())}
    try:
        _warm_up(peer, workers)
        yield workers
    finally:
        for worker in workers.values():
            worker.kill()


def _warm_up(peer: Peer, workers: dict[int, Process]) -> None:
    """Until the workers work; what that took is forgotten."""

    def are_working() -> bool:
        for worker in workers.values():
            assert worker.is_running, f"a worker ended; see {worker.log}"
        return records.count(peer.done) >= _WARM_UP_JOBS

    flags = (f"--count={_WARM_UP_JOBS}", f"--first={-_WARM_UP_JOBS}")
    with _producing(peer, *flags, count=1) as producers:
        assert producers[0].wait(60) == 0, f"a producer failed; see {producers[0].log}"
        until(are_working, 60, "the workers to begin")
    _forget(peer)


def _drain(peer: Peer, patience_s: float, workers: dict[int, Process]) -> None:
    """Until all that was accepted is done, or nothing more happens. Duplicates make the files longer."""
    before, moved_at = -1, time.monotonic()
    while time.monotonic() - moved_at < patience_s:
        for number, command in enumerate(peer.work()):
            if not workers[number].is_running:
                workers[number] = peer.run(command)
        now = records.count(peer.done)
        if now > before:
            before, moved_at = now, time.monotonic()
            accepted = {number for number, _ in records.read(peer.accepted)}
            if not accepted - {number for number, _ in records.read(peer.done)}:
                return
        time.sleep(0.05)
