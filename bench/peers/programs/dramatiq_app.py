"""Dramatiq on Redis."""

import dramatiq
from common import QUEUE, SERVER, done, produce
from dramatiq.brokers.redis import RedisBroker

dramatiq.set_broker(RedisBroker(url=SERVER))


@dramatiq.actor(queue_name=QUEUE, max_retries=0)
def handle(job):
    done(job)


if __name__ == "__main__":

    def send(jobs):
        for job in jobs:
            handle.send(job)

    produce(send)
