"""Corvo by its Python SDK."""

import os
import sys

from common import QUEUE, SERVER, done, produce

from corvo_sdk import Client, Worker, new_job


def _work():
    worker = Worker(SERVER, concurrency=8)

    @worker.task(QUEUE)
    def handle(job):
        done(job.payload)

    worker.run()


if __name__ == "__main__":
    if sys.argv[1] == "work":
        _work()
    else:
        with Client(SERVER) as client:

            def send(jobs):
                if len(jobs) == 1:
                    client.enqueue(QUEUE, jobs[0])
                elif jobs:
                    client.enqueue_many([new_job(QUEUE, job) for job in jobs])

            produce(send, bulk=int(os.environ.get("PEER_BULK", "50")))
