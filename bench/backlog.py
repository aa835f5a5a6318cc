"""A backlog of a million: what a fetch costs, how much memory the node takes, how fast it restarts."""

import tempfile
import time
from pathlib import Path

from bench import searches
from bench.fsm import OPS_PER_ENTRY, Bench
from bench.usage import resident_mb
from chaos.process import Client, Server, free_port
from corvo.fsm.queue_head import WINDOW_KEYS
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.finish import Ack

MILLION = 1_000_000
BATCH = 5_000


def _fetch_us(bench: Bench, rounds: int = 60) -> float:
    """Median cost of a single fetch in the state machine, with as many put back as are taken. Each round
    takes as many as are read ahead at once, so that reading them is in every round."""
    times = []
    claim = Claim(("q",), "w1", "host", 60_000, 1)
    for _ in range(rounds):
        round_s = 0.0
        for _ in range(WINDOW_KEYS // OPS_PER_ENTRY):
            fetched, seconds = bench.apply([Fetch([claim]) for _ in range(OPS_PER_ENTRY)])
            round_s += seconds
            jobs = [outcome.claims[0][0].job for outcome in fetched if outcome.claims[0]]
            bench.apply([Ack(job.id, job.lease.token) for job in jobs])
            bench.apply([bench.new() for _ in range(OPS_PER_ENTRY)])
        times.append(round_s / WINDOW_KEYS * 1e6)
    return sorted(times)[len(times) // 2]


def _fill(bench: Bench, count: int) -> None:
    for _ in range(count // OPS_PER_ENTRY):
        bench.apply([bench.new() for _ in range(OPS_PER_ENTRY)])


def fetch_cost() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        _fill(bench, 1_024)
        small = _fetch_us(bench)
        _fill(bench, MILLION)
        large = _fetch_us(bench)
        # Take and finish the million: as many deletions at the head of the queue.
        claim = Claim(("q",), "w1", "host", 60_000, 512)
        while True:
            fetched, _ = bench.apply([Fetch([claim])])
            jobs = [whole.job for whole in fetched[0].claims[0]]
            if len(jobs) < 512:
                break
            bench.apply([Ack(job.id, job.lease.token) for job in jobs])
        _fill(bench, 1_024)
        after = _fetch_us(bench)
    print("fetch in the state machine, microseconds per job (median):")
    print(f"  1,000 pending               {small:6.1f}")
    print(f"  1,000,000 pending           {large:6.1f}   ratio {large / small:.2f}   target <= 1.2")
    print(f"  after 1,000,000 deletions   {after:6.1f}   ratio {after / small:.2f}   target <= 1.2")


def node() -> None:
    # About 100 bytes of JSON.
    jobs = [
        {"queue": f"q{n % 10}", "payload": {"n": n, "to": f"user{n}@example.com", "text": "x" * 54}}
        for n in range(BATCH)
    ]
    with tempfile.TemporaryDirectory(prefix="corvo-bench-") as folder:
        server = Server(Path(folder) / "data", free_port())
        server.start()
        client = Client(server.port, timeout_s=120)
        began = time.monotonic()
        sent = 0
        while sent < MILLION:
            status, _ = client.call("POST", "/api/v1/enqueue/batch", {"jobs": jobs})
            if status == 201:
                sent += BATCH
            else:
                time.sleep(0.01)
        filled_s = time.monotonic() - began
        filling_mb = resident_mb(server.pid)
        client.close()
        assert server.terminate(30) == 0
        restart_s = server.start(60)
        time.sleep(2)
        idle_mb = resident_mb(server.pid)
        fetched = client.call("POST", "/api/v1/fetch/batch", {"queues": ["q1"], "count": 10})[1]
        assert len(fetched["jobs"]) == 10
        searched = searches.measure(client)
        client.close()
        server.kill()
        crash_restart_s = server.start(60)
        server.close()
    print(
        f"a node with 1,000,000 pending jobs of 100 bytes (enqueued in {filled_s:.0f} s, batches of {BATCH}):"
    )
    print(f"  memory while filling        {filling_mb:6.0f} MB   target < 400")
    print(f"  memory after restart        {idle_mb:6.0f} MB   target < 400")
    print(f"  restart after SIGTERM       {restart_s:6.2f} s    target < 5")
    print(f"  restart after kill -9       {crash_restart_s:6.2f} s    target < 5")
    print("searches over HTTP with 1,000,000 jobs in the mirror, milliseconds (median of 9):")
    for line in searched:
        print(line)


def main() -> None:
    fetch_cost()
    node()


if __name__ == "__main__":
    main()
