"""A run that ends up holding a million jobs: as fast at the end as at the start, and no bigger.

python -m bench.million [--jobs 1000000]
"""

import threading
import time
from dataclasses import dataclass, field

from bench import loads, targets
from bench.servers import corvo
from bench.usage import resident_mb
from chaos.process import Client, Server

LIVES_S = 5.0
#: The best of so many runs is taken, before and after: a host that others use has bad seconds.
LIVES_RUNS = 3
BATCH = 200
#: Share of the jobs that is compared at both ends.
END = 0.1


@dataclass
class Watch:
    """Looks at the server twice a second, and at how far the fill is."""

    server: Server
    samples: list[tuple[float, int]] = field(default_factory=list)
    memory_mb: list[tuple[int, float]] = field(default_factory=list)
    lag_most: int = 0

    def progress(self, _phase: str, done: int, _total: int | None) -> None:
        self.samples.append((time.perf_counter(), done))

    def look(self, stopped: threading.Event) -> None:
        client = Client(self.server.port, timeout_s=60)
        while not stopped.wait(0.5):
            done = self.samples[-1][1] if self.samples else 0
            self.memory_mb.append((done, resident_mb(self.server.pid)))
            self.lag_most = max(self.lag_most, _lag(client))

    def rate(self, low: float, high: float) -> float:
        """Jobs per second between two counts."""
        within = [sample for sample in self.samples if low <= sample[1] <= high]
        (began, first), (ended, last) = within[0], within[-1]
        return (last - first) / (ended - began)

    def mb_at(self, count: float) -> float:
        return next((mb for done, mb in self.memory_mb if done >= count), self.memory_mb[-1][1])


def _lives(server: Server) -> float:
    return max(loads.rate(loads.run(server, loads.lifecycle_plan(LIVES_S))) for _ in range(LIVES_RUNS))


def _lag(client: Client) -> int:
    """Entries that the mirror is behind."""
    lag: int = client.call("GET", "/api/v1/cluster/status")[1]["sqlite_mirror"]["lag"]
    return lag


def main() -> None:
    arguments = loads.parser(lambda parser: parser.add_argument("--jobs", type=int, default=1_000_000))
    jobs = arguments.jobs
    with corvo(*loads.edge_flags(arguments)) as server:
        lives_before = _lives(server)
        watch = Watch(server)
        stopped = threading.Event()
        looking = threading.Thread(target=watch.look, args=(stopped,))
        looking.start()
        fill = loads.lifecycle_plan(0.0, mode="enqueue", enqueue_batch=BATCH, jobs=jobs, duration_s=None)
        figures = loads.run(server, fill._replace(queues=("held",)), watch.progress)
        stopped.set()
        looking.join()
        began = time.perf_counter()
        client = Client(server.port, timeout_s=60)
        while _lag(client):
            time.sleep(0.05)
        caught_up_s = time.perf_counter() - began
        lives_after = _lives(server)
        held = server.get("/api/v1/queues/held")[1]["pending"]
        end_mb = resident_mb(server.pid)
    assert held == len(figures.accepted) >= jobs, f"{len(figures.accepted)} accepted, {held} held"
    first, last = watch.rate(0, jobs * END), watch.rate(jobs * (1 - END), jobs)
    print(f"a run that holds {held:,} jobs (enqueued at {loads.rate(figures):,.0f} jobs/s over the stream):")
    targets.at_least(f"last tenth {last:,.0f}, first {first:,.0f} jobs/s", last / first, 0.9)
    whole = f"whole lives {lives_after:,.0f}, before {lives_before:,.0f} jobs/s"
    targets.at_least(whole, lives_after / lives_before, 0.9)
    tenth_mb, half_mb = watch.mb_at(jobs * END), watch.mb_at(jobs / 2)
    targets.line("memory at a tenth, half, all, the end", _join(tenth_mb, half_mb, watch.mb_at(jobs), end_mb))
    targets.below("growth from half to the end", (end_mb / half_mb - 1) * 100, 20, "%")
    targets.line("mirror behind at most", f"{watch.lag_most:,} entries")
    targets.below("mirror level after the last enqueue", caught_up_s, 60, "s")


def _join(*values: float) -> str:
    return ", ".join(f"{value:.0f}" for value in values) + " MB"


if __name__ == "__main__":
    main()
