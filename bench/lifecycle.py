"""Jobs through their whole life over the stream: enqueued, fetched, acked, each acknowledged; fsync on.

Producers and workers are one generator beside the server. Also over plain HTTP: enqueues in batches of 100.
"""

from bench import floor, loads, targets
from bench.servers import corvo

SECONDS = 8.0
BATCH = 100


def main() -> None:
    flags = loads.edge_flags(loads.parser())
    floors = floor.measure()
    print("state machine and LevelDB alone, fsync on:")
    targets.line("whole lives", f"{floors['lifecycle']:,.0f} jobs/s")
    targets.line("enqueues", f"{floors['enqueue']:,.0f} jobs/s")
    print("whole lives over the stream, 4 producers, 8 workers, 50 jobs a line:")
    for http, name in ((1, "HTTP/1.1"), (2, "HTTP/2")):
        with corvo(*flags) as server:
            figures = loads.run(server, loads.lifecycle_plan(SECONDS, http=http))
            _check(server, len(figures.accepted))
        what = f"{name}: {loads.rate(figures):,.0f} jobs/s, share of the floor"
        targets.at_least(what, loads.rate(figures) / floors["lifecycle"], 0.35)
    print(f"enqueues in batches of {BATCH} over HTTP/1.1, 8 producers:")
    with corvo(*flags) as server:
        plan = loads.lifecycle_plan(SECONDS, mode="enqueue", way="batch", enqueue_batch=BATCH, producers=8)
        enqueued = loads.rate(loads.run(server, plan))
    what = f"{enqueued:,.0f} jobs/s, share of the floor of enqueues"
    targets.at_least(what, enqueued / floors["enqueue"], 0.4)


def _check(server, accepted: int) -> None:
    _, queues = server.get("/api/v1/queues")
    assert queues[0]["completed"] == accepted, queues


if __name__ == "__main__":
    main()
