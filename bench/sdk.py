"""Jobs through the Python SDK: a real server process, a real worker process, results committed.

Over the stream, which is HTTP/1.1 in the clear, and for comparison over HTTP/2 and over long-poll.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from typing import Any

from bench.servers import corvo
from corvo_sdk import Client, Worker, new_job

JOBS = 10_000
ROUNDS = 3
BATCH = 2_000
#: What is printed -> kind of handler, how many at once, transport, target.
RUNS = {
    "sync, 8 threads": ("sync", 8, "stream", "   target >= 3000"),
    "async, 64 tasks": ("async", 64, "stream", "   target >= 6000"),
    "sync, HTTP/2": ("sync", 8, "http2", ""),
    "async, HTTP/2": ("async", 64, "http2", ""),
    "sync, long-poll": ("sync", 8, "long-poll", ""),
    "async, long-poll": ("async", 64, "long-poll", ""),
}


def work(url: str, kind: str, concurrency: int, transport: Any) -> None:
    """The worker process."""
    http2 = transport == "http2"
    worker = Worker(url, concurrency=concurrency, transport="stream" if http2 else transport, http2=http2)
    if kind == "sync":

        @worker.task("bench-sync")
        def handle(job):
            return {"n": job.payload["n"]}
    else:

        @worker.task("bench-async")
        async def handle_async(job):
            await asyncio.sleep(0)
            return {"n": job.payload["n"]}

    worker.run()


def measure(url: str, kind: str, concurrency: int, transport: str, jobs: int) -> float:
    """Jobs completed per second, from the first one that is to the last."""
    queue = f"bench-{kind}"
    with Client(url) as client:
        for start in range(0, jobs, BATCH):
            client.enqueue_many([new_job(queue, {"n": n}) for n in range(start, start + BATCH)])
        command = [sys.executable, "-m", "bench.sdk", "--work", url, kind, str(concurrency), transport]
        process = subprocess.Popen(command)
        try:
            while not (first := client.queues.get(queue).completed):
                time.sleep(0.005)
            began = time.perf_counter()
            while (done := client.queues.get(queue).completed) < jobs:
                time.sleep(0.02)
            seconds = time.perf_counter() - began
        finally:
            process.terminate()
            process.wait(30)
    return (done - first) / seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", nargs=4)
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", default="", help="Runs with this in their name, such as HTTP/2.")
    arguments = parser.parse_args()
    if arguments.work:
        url, kind, concurrency, transport = arguments.work
        work(url, kind, int(concurrency), transport)
        return
    runs = {name: run for name, run in RUNS.items() if arguments.only in name}
    best = dict.fromkeys(runs, 0.0)
    # Interleaved, so that whatever else the machine does hits all of them.
    for _ in range(arguments.rounds):
        for name, (kind, at_once, transport, _) in runs.items():
            with corvo() as server:
                rate = measure(f"http://127.0.0.1:{server.port}", kind, at_once, transport, arguments.jobs)
            best[name] = max(best[name], rate)
    print(
        "jobs fetched, handled and committed by one SDK worker process, "
        f"fsync on (best of {arguments.rounds}):"
    )
    for name, (_, _, _, target) in runs.items():
        print(f"  {name:16} {best[name]:8.0f}/s {target}")


if __name__ == "__main__":
    main()
