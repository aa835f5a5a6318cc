"""RQ on Redis."""

from common import QUEUE, SERVER, done, produce
from redis import Redis
from rq import Queue


def handle(job):
    done(job)


if __name__ == "__main__":
    queue = Queue(QUEUE, connection=Redis.from_url(SERVER))

    def send(jobs):
        if jobs:
            rows = [Queue.prepare_data("rq_app.handle", args=(job,), result_ttl=0) for job in jobs]
            queue.enqueue_many(rows)

    produce(send, bulk=50)
