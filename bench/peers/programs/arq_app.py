"""arq on Redis."""

import asyncio

from arq import create_pool
from arq.connections import RedisSettings
from common import QUEUE, SERVER, done, produce

_SETTINGS = RedisSettings.from_dsn(SERVER)


async def handle(_, job):
    done(job)


class WorkerSettings:
    functions = [handle]  # noqa: RUF012 - as arq reads it
    redis_settings = _SETTINGS
    queue_name = QUEUE
    max_jobs = 8
    # By default it looks every half second; this is as quick as it can be told to be.
    poll_delay = 0.01
    queue_read_limit = 500
    keep_result = 0
    max_tries = 5


if __name__ == "__main__":
    loop = asyncio.new_event_loop()
    pool = loop.run_until_complete(create_pool(_SETTINGS, default_queue_name=QUEUE))

    def send(jobs):
        async def all_at_once():
            await asyncio.gather(*(pool.enqueue_job("handle", job) for job in jobs))

        if jobs:
            loop.run_until_complete(all_at_once())

    produce(send, bulk=8)
