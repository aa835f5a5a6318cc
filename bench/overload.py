"""Ten times what the server can take: it must refuse at once, keep its pace, and be well again at once.

Rude clients have ten times as many enqueues under way as the server lets wait, in batches of 100 over plain
HTTP and in lines of 100 over streams, and send again as soon as they are refused, whatever it asks of them.
"""

import asyncio
import threading
import time
from dataclasses import dataclass, field

from bench import load, loads, targets
from bench.servers import corvo
from bench.usage import own_mb, resident_mb
from chaos.process import Client, Server
from corvo.cli.bench.connect import connect
from corvo.cli.bench.conversation import BenchStream
from corvo.cli.bench.link import BenchAddress
from corvo.cli.request.client import Target
from corvo.core.limits import PENDING_OPS_MAX_DEFAULT

SECONDS = 8.0
TIMES = 10
JOBS = 100
#: Enough to keep the server busy, without ever filling it.
POLITE = 8
RUDE = TIMES * PENDING_OPS_MAX_DEFAULT // JOBS
#: Lines that a rude client has under way at once.
PIPELINED = 8

_JOB = b'{"queue":"q","payload":{"to":"someone@example.com","text":"' + b"x" * 64 + b'"}}'
_JOBS = b",".join([_JOB] * JOBS)
_BATCH = load.request_bytes("POST", "/api/v1/enqueue/batch", b'{"jobs":[' + _JOBS + b"]}")


@dataclass
class Outcome:
    accepted: int = 0
    refusals_ms: list[float] = field(default_factory=list)
    seconds: float = SECONDS

    @property
    def rate(self) -> float:
        return self.accepted / self.seconds


def _over_http(server: Server, clients: int) -> Outcome:
    result = load.run(server.port, _BATCH, connections=clients, seconds=SECONDS)
    return Outcome((result.requests - result.failures) * JOBS, result.refusals_ms, result.seconds)


def _over_streams(server: Server, lines: int) -> Outcome:
    return asyncio.run(_stream_all(server, lines))


async def _stream_all(server: Server, lines: int) -> Outcome:
    outcome = Outcome()
    address = BenchAddress(Target(f"http://127.0.0.1:{server.port}"))
    links = [await connect(address, 1) for _ in range(max(1, lines // PIPELINED))]
    streams = [BenchStream(link) for link in links]
    end = time.perf_counter() + SECONDS
    try:
        tasks = [_insist(streams[number % len(streams)], outcome, end) for number in range(lines)]
        async with asyncio.timeout(SECONDS + 60):
            await asyncio.gather(*tasks)
    finally:
        for link in links:
            link.close()
    return outcome


async def _insist(stream: BenchStream, outcome: Outcome, end: float) -> None:
    while (began := time.perf_counter()) < end:
        said = await stream.ask(b'"enqueues":[' + _JOBS + b"]")
        if time.perf_counter() < end:
            outcome.accepted += len(said.enqueued_job_ids)
        if said.code is not None or any(each.status == "refused" for each in said.enqueue_results):
            outcome.refusals_ms.append((time.perf_counter() - began) * 1_000)


def _quick_ms(client: Client, count: int = 50) -> float:
    """Median of single enqueues."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        status, _ = client.call("POST", "/api/v1/enqueue", {"queue": "one", "payload": 1})
        assert status == 201, f"refused with {status} without any load"
        times.append((time.perf_counter() - began) * 1_000)
    return sorted(times)[count // 2]


class _Memory:
    """The most that a process had meanwhile."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.own_mb = 0.0
        self.peak_mb = 0.0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "_Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stopped.wait(0.1):
            self.own_mb = max(self.own_mb, own_mb(self._pid))
            self.peak_mb = max(self.peak_mb, resident_mb(self._pid))


def measure(what: str, offer, flags: tuple[str, ...]) -> None:
    with corvo(*flags) as server:
        client = Client(server.port, timeout_s=120)
        calm_ms = _quick_ms(client)
        most = offer(server, POLITE)
        before_mb = own_mb(server.pid)
        with _Memory(server.pid) as memory:
            rude = offer(server, RUDE)
        began = time.perf_counter()
        while client.call("POST", "/api/v1/enqueue", {"queue": "one", "payload": 1})[0] != 201:
            time.sleep(0.001)
        again_ms = (time.perf_counter() - began) * 1_000
        well_ms = _quick_ms(client)
    print(f"overload over {what}: {RUDE * JOBS:,} enqueues under way at once, {SECONDS:.0f} s:")
    targets.line(f"capacity ({POLITE * JOBS} under way)", f"{most.rate:,.0f} jobs/s")
    targets.at_least(f"accepted {rude.rate:,.0f} jobs/s, share of capacity", rude.rate / most.rate, 0.8)
    refused = sorted(rude.refusals_ms) or [0.0]
    count = len(rude.refusals_ms)
    targets.line("refused at once (429, OVERLOADED)", f"{count:,}", "> 0", hit=count > 0)
    targets.line("refusals p50", f"{refused[len(refused) // 2]:.1f} ms")
    targets.line("refusals p99", f"{refused[int(len(refused) * 0.99)]:.1f} ms")
    targets.below(f"memory of its own at most (before {before_mb:.0f} MB)", memory.own_mb, 400, "MB")
    targets.line("the same with pages of LevelDB's mapped files", f"{memory.peak_mb:.0f} MB")
    targets.below("first enqueue accepted after it", again_ms, 1_000, "ms")
    targets.line("single enqueue before, right after", f"{calm_ms:.1f}, {well_ms:.1f} ms")


def main() -> None:
    flags = loads.edge_flags(loads.parser())
    measure("plain HTTP", _over_http, flags)
    measure("streams", _over_streams, flags)


if __name__ == "__main__":
    main()
