"""From enqueue to a waiting worker that has the job, over the stream, at 500 jobs a second; fsync on."""

from bench import loads, targets
from bench.servers import corvo
from corvo.cli.bench.figures import quantiles

RATE = 500.0
SECONDS = 10.0


def main() -> None:
    flags = loads.edge_flags(loads.parser())
    plan = loads.lifecycle_plan(SECONDS, mode="latency", rate=RATE, enqueue_batch=1, fetch_batch=1)
    with corvo(*flags) as server:
        loads.run(server, plan._replace(duration_s=1.0))
        found = quantiles(loads.run(server, plan).latencies_ms["start"])
        disk = server.get("/api/v1/cluster/status")[1]["sync_time_hist"]
    print(f"enqueue sent -> waiting worker has the job, stream, {RATE:.0f} jobs/s, 8 workers, fsync on:")
    targets.below("p50", found["p50_ms"], 2, "ms")
    targets.below("p99", found["p99_ms"], 8, "ms")
    targets.line("max", f"{found['max_ms']:.2f} ms")
    targets.line("the journal's fsync alone, p50 and p99 at most", f"{disk['p50']}, {disk['p99']}")


if __name__ == "__main__":
    main()
