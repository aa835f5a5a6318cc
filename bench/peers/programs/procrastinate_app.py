"""Procrastinate on PostgreSQL."""

import asyncio
import sys

import procrastinate
from common import QUEUE, SERVER, done, produce

asynchronous = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=SERVER))


@asynchronous.task(name="handle", queue=QUEUE, pass_context=False)
async def handle(job):
    done(job)


async def _with_app(action):
    async with asynchronous.open_async():
        await action()


def _produce():
    connector = procrastinate.SyncPsycopgConnector(conninfo=SERVER)
    app = procrastinate.App(connector=connector)

    @app.task(name="handle", queue=QUEUE)
    def handle_(job):
        """Done by the workers."""

    with app.open():

        def send(jobs):
            if jobs:
                handle_.batch_defer(*({"job": job} for job in jobs))

        produce(send, bulk=50)


if __name__ == "__main__":
    match sys.argv[1]:
        case "schema":
            asyncio.run(_with_app(asynchronous.schema_manager.apply_schema_async))
        case "work":
            asyncio.run(
                _with_app(
                    lambda: asynchronous.run_worker_async(
                        queues=[QUEUE], concurrency=8, delete_jobs="never", fetch_job_polling_interval=1.0
                    )
                )
            )
        case _:
            _produce()
