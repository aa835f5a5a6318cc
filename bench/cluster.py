"""Three nodes on one machine: against one node, while the leader is killed, and while one of them catches up.

python -m bench.cluster [rates] [failover] [catch-up] [--kills 20] [--jobs 1000000] [--seconds 5]
"""

import argparse
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from bench import load
from bench.servers import corvo
from chaos.group import Group
from chaos.process import Client, Server

CONNECTIONS = 32
ROUNDS = 2
#: Requests of many jobs keep the whole cluster busy from fewer connections.
FILLERS = 16
#: How long the client goes on asking after a kill.
WATCHED_S = 3.0
_JOB = b'{"queue":"emails","payload":{"to":"someone@example.com","text":"' + b"x" * 64 + b'"}}'


def _batch(jobs: int) -> bytes:
    """One request of many jobs: what the cluster itself costs, rather than HTTP."""
    body = b'{"jobs":[' + b",".join([_JOB] * jobs) + b"]}"
    return load.request_bytes("POST", "/api/v1/enqueue/batch", body)


@contextmanager
def _three() -> Iterator[Group]:
    with tempfile.TemporaryDirectory(prefix="corvo-bench-") as folder:
        group = Group(Path(folder))
        try:
            group.form()
            yield group
        finally:
            group.close()


# Throughput


def measure_rates(seconds: float) -> None:
    requests = {
        "single enqueues": (load.request_bytes("POST", "/api/v1/enqueue", _JOB), 1),
        "batches of 100": (_batch(100), 100),
    }
    best: dict[tuple[str, str], float] = {}
    with corvo() as alone, _three() as group:
        leader = group.until_leading()
        follower = next(node_id for node_id in group.servers if node_id != leader)
        ports = {
            "one node": alone.port,
            "leader of three": group.servers[leader].port,
            "follower of three": group.servers[follower].port,
        }
        for _ in range(ROUNDS):
            for what, (request, jobs) in requests.items():
                for where, port in ports.items():
                    result = load.run(port, request, connections=CONNECTIONS, seconds=seconds)
                    best[what, where] = max(best.get((what, where), 0.0), _accepted(result) * jobs)
                    _until_level([alone, *group.servers.values()])
    for what in requests:
        one = best[what, "one node"]
        print(f"{what}, {CONNECTIONS} connections, fsync on (best of {ROUNDS}):")
        for where in ports:
            rate = best[what, where]
            target = "   target >= 0.35" if where == "leader of three" else ""
            print(f"  {where:18} {rate:9.0f} jobs/s   {rate / one:5.2f} of one node{target}")


def _until_level(servers: list[Server]) -> None:
    """A mirror that is behind goes on working, at the cost of whoever is measured next."""
    while any(server.get("/api/v1/cluster/status")[1]["sqlite_mirror"]["lag"] for server in servers):
        time.sleep(0.2)


def _accepted(result: load.Result) -> float:
    return (result.requests - result.failures) / result.seconds


# Failover


def measure_failovers(kills: int) -> None:
    """A client that enqueues at a surviving node, without a pause, while the leader is killed."""
    gaps: list[float] = []
    with _three() as group:
        for _ in range(kills):
            leader = group.until_leading()
            survivor = next(node_id for node_id in group.servers if node_id != leader)
            gaps.append(_longest_gap(group, leader, survivor))
            group.servers[leader].start()
            group.until_level()
    print(f"longest pause a client saw around kill -9 of the leader, {kills} kills:")
    print(f"  p50 {statistics.median(gaps):.2f} s   target < 1.5      max {max(gaps):.2f} s   target < 3")


def _longest_gap(group: Group, leader: str, survivor: str) -> float:
    stop = threading.Event()
    answered: list[float] = [time.monotonic()]

    def ask() -> None:
        client = Client(group.servers[survivor].port)
        while not stop.is_set():
            status, _ = client.call("POST", "/api/v1/enqueue", {"queue": "gaps", "payload": 1})
            if status == 201:
                answered.append(time.monotonic())

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.5)
    group.servers[leader].kill()
    time.sleep(WATCHED_S)
    stop.set()
    thread.join(30)
    assert len(answered) > 1, f"nothing was accepted within {WATCHED_S:g} seconds"
    return max(after - before for before, after in pairwise(answered))


# Catching up


def measure_catch_up(jobs: int) -> None:
    """One follower is down while jobs are enqueued, comes back, and gets them while more come in.

    The more jobs there are, the slower they come in; so the pace is compared with that of a second cluster
    between the same numbers of jobs, whose follower stays away.
    """
    with _two_of_three() as (group, leader, away), _enqueueing(port := group.servers[leader].port):
        group.until(lambda: _pending(port) >= jobs, f"{jobs} jobs are enqueued", 3_600)
        behind, goal = _pending(port), _applied(group, leader)
        began = time.monotonic()
        # It answers only when it has replayed its own log, and the load does not wait for that.
        threading.Thread(target=group.servers[away].start, daemon=True).start()
        group.until(lambda: _applied(group, away) >= goal, f"{away} has caught up", 3_600)
        took_s, end = time.monotonic() - began, _pending(port)
    print(f"a follower {behind:,} jobs behind, batches of 100 from {FILLERS} connections at the leader:")
    print(
        f"  it had them after {took_s:.1f} s, while the leader took in {(end - behind) / took_s:.0f} jobs/s"
    )
    with _two_of_three() as (group, leader, _), _enqueueing(port := group.servers[leader].port):
        group.until(lambda: _pending(port) >= behind, f"{behind} jobs are enqueued", 3_600)
        began = time.monotonic()
        group.until(lambda: _pending(port) >= end, f"{end} jobs are enqueued", 3_600)
        alone_s = time.monotonic() - began
    print(
        f"  from {behind:,} to {end:,} jobs without it: {(end - behind) / alone_s:.0f} jobs/s; "
        f"so the leader kept {alone_s / took_s:.2f} of its pace   target >= 0.7"
    )


@contextmanager
def _two_of_three() -> Iterator[tuple[Group, str, str]]:
    """A group with one follower down; its leader, and who is away."""
    with _three() as group:
        leader = group.until_leading()
        away = next(node_id for node_id in group.servers if node_id != leader)
        assert group.servers[away].terminate() == 0
        yield group, leader, away


@contextmanager
def _enqueueing(port: int) -> Iterator[None]:
    """Load without a pause, from another process, until the end."""
    work = {"connections": FILLERS, "seconds": 86_400.0}
    process = multiprocessing.get_context("spawn").Process(
        target=load.run, args=(port, _batch(100)), kwargs=work, daemon=True
    )
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def _pending(port: int) -> int:
    with Client(port) as client:
        _, queues = client.call("GET", "/api/v1/queues")
    return sum(queue["pending"] for queue in queues)


def _applied(group: Group, node_id: str) -> int:
    status = group.status(node_id)
    return 0 if status is None else int(status["applied_index"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("what", nargs="*", choices=["rates", "failover", "catch-up", []], help="all if none")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1_000_000, help="how far behind the follower is")
    parser.add_argument("--seconds", type=float, default=5.0, help="of load for one figure")
    options = parser.parse_args()
    wanted = options.what or ["rates", "failover", "catch-up"]
    if "rates" in wanted:
        measure_rates(options.seconds)
    if "failover" in wanted:
        measure_failovers(options.kills)
    if "catch-up" in wanted:
        measure_catch_up(options.jobs)


if __name__ == "__main__":
    main()
