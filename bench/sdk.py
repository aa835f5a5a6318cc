"""Jobs through the Python SDK: a real server process, a real worker process, results committed.

The worker takes jobs by long-poll over keep-alive HTTP; the full-duplex stream is not there yet.
"""

import argparse
import asyncio
import subprocess
import sys
import time

from bench.servers import corvo
from corvo_client import Client, Worker, new_job

JOBS = 20_000
BATCH = 2_000
KINDS = {"sync, 8 threads": ("sync", 8, 3_000), "async, 64 tasks": ("async", 64, 6_000)}


def work(url: str, kind: str, concurrency: int) -> None:
    """The worker process."""
    worker = Worker(url, concurrency=concurrency)
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


def measure(url: str, kind: str, concurrency: int, jobs: int) -> float:
    """Jobs completed per second, from the first one that is to the last."""
    queue = f"bench-{kind}"
    with Client(url) as client:
        for start in range(0, jobs, BATCH):
            client.enqueue_many([new_job(queue, {"n": n}) for n in range(start, start + BATCH)])
        command = [sys.executable, "-m", "bench.sdk", "--work", url, kind, str(concurrency)]
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
    parser.add_argument("--work", nargs=3)
    parser.add_argument("--jobs", type=int, default=JOBS)
    arguments = parser.parse_args()
    if arguments.work:
        url, kind, concurrency = arguments.work
        work(url, kind, int(concurrency))
        return
    print("jobs fetched, handled and committed by one SDK worker process, long-poll, fsync on:")
    for name, (kind, concurrency, target) in KINDS.items():
        with corvo() as server:
            rate = measure(f"http://127.0.0.1:{server.port}", kind, concurrency, arguments.jobs)
        print(f"  {name:16} {rate:8.0f}/s    target >= {target} over the stream")


if __name__ == "__main__":
    main()
