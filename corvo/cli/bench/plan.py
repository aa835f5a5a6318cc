"""What a run of `corvo bench` is to do."""

from typing import Literal, NamedTuple

Mode = Literal["enqueue", "lifecycle", "mixed", "latency"]
Way = Literal["single", "batch", "stream"]

MODES: tuple[Mode, ...] = ("enqueue", "lifecycle", "mixed", "latency")
WAYS: tuple[Way, ...] = ("single", "batch", "stream")


class BenchPlan(NamedTuple):
    mode: Mode
    way: Way
    queues: tuple[str, ...]
    #: Jobs in all; None with a duration.
    jobs: int | None
    duration_s: float | None
    producers: int
    workers: int
    #: Jobs in one request or line; with the single way 1.
    enqueue_batch: int
    fetch_batch: int
    payload_bytes: int
    http: int = 1
    #: TCP connections that HTTP/2 shares; with HTTP/1.1 each producer and worker has its own.
    connections: int = 2
    #: Jobs per second in latency mode.
    rate: float = 100.0
    #: Jobs that may wait in mixed mode before producers pause.
    ahead: int = 4_000
