"""Three nodes against one on the same machine: enqueues, and how long a failover keeps a client waiting."""

import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

from bench import load
from bench.servers import corvo
from chaos.group import Group
from chaos.process import Client

CONNECTIONS = 32
SECONDS = 5.0
ROUNDS = 2
KILLS = 10
_JOB = b'{"queue":"emails","payload":{"to":"someone@example.com","text":"' + b"x" * 64 + b'"}}'
#: One request of many jobs: what the cluster itself costs, rather than HTTP.
BATCH = b'{"jobs":[' + b",".join([_JOB] * 100) + b"]}"


def measure_rates() -> None:
    requests = {
        "single enqueues": (load.request_bytes("POST", "/api/v1/enqueue", _JOB), 1),
        "batches of 100": (load.request_bytes("POST", "/api/v1/enqueue/batch", BATCH), 100),
    }
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory(prefix="corvo-bench-") as folder, corvo() as alone:
        group = Group(Path(folder))
        try:
            group.form()
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
                        result = load.run(port, request, connections=CONNECTIONS, seconds=SECONDS)
                        rate = result.per_second * jobs
                        best[what, where] = max(best.get((what, where), 0.0), rate)
        finally:
            group.close()
    for what in requests:
        one = best[what, "one node"]
        print(f"{what}, {CONNECTIONS} connections, fsync on (best of {ROUNDS}):")
        for where in ports:
            rate = best[what, where]
            print(f"  {where:18} {rate:9.0f} jobs/s   {rate / one:5.2f} of one node")


def measure_failovers() -> None:
    """A client that enqueues at a surviving node, without a pause, while the leader is killed."""
    gaps: list[float] = []
    with tempfile.TemporaryDirectory(prefix="corvo-bench-") as folder:
        group = Group(Path(folder))
        try:
            group.form()
            for _ in range(KILLS):
                leader = group.until_leading()
                survivor = next(node_id for node_id in group.servers if node_id != leader)
                gaps.append(_longest_gap(group, leader, survivor))
                group.servers[leader].start()
                group.until_level()
        finally:
            group.close()
    gaps.sort()
    print(f"longest pause a client saw around kill -9 of the leader, {KILLS} kills:")
    print(f"  median {gaps[len(gaps) // 2]:.2f} s   target < 1.5      longest {gaps[-1]:.2f} s   target < 3")


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
    time.sleep(3.0)
    stop.set()
    thread.join(30)
    assert len(answered) > 1, "nothing was accepted within three seconds"
    return max(after - before for before, after in pairwise(answered))


def main() -> None:
    if "failover" not in sys.argv:
        measure_rates()
    if "rates" not in sys.argv:
        measure_failovers()


if __name__ == "__main__":
    main()
