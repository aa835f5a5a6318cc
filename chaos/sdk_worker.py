"""A worker process for chaos.sdk: writes down every job it begins, before it begins it.

python -m chaos.sdk_worker URL QUEUE LEDGER sync|async
"""

import asyncio
import os
import random
import sys
import time

from corvo_sdk import Retry, Worker


def main() -> None:
    url, queue, ledger, kind = sys.argv[1:]
    worker = Worker(url, concurrency=8, lease=3, grace=3)
    # One write to a file opened for appending survives a kill -9 of the writer, whole.
    paper = os.open(ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    chance = random.Random(os.getpid())

    def begin(job) -> float:
        os.write(paper, f"{job.job_id} {job.lease_token} {job.lease_version}\n".encode())
        if chance.random() < 0.02:
            raise Retry("chance", after="0")
        return chance.uniform(0, 0.02)

    if kind == "sync":

        @worker.task(queue)
        def handle(job, ctx):
            time.sleep(begin(job))
            return {"token": ctx.lease_token}
    else:

        @worker.task(queue)
        async def handle_async(job, ctx):
            await asyncio.sleep(begin(job))
            return {"token": ctx.lease_token}

    worker.run()


if __name__ == "__main__":
    main()
