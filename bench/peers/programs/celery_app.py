"""Celery on Redis."""

from celery import Celery
from common import QUEUE, SERVER, done, produce

app = Celery("celery_app", broker=SERVER)
app.conf.update(
    task_ignore_result=True,
    task_default_queue=QUEUE,
    # The documentation's advice for many short tasks.
    worker_prefetch_multiplier=64,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
)


@app.task(name="handle")
def handle(job):
    done(job)


if __name__ == "__main__":

    def send(jobs):
        for job in jobs:
            handle.delay(job)

    produce(send)
