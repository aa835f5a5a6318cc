"""The whole table: every family of routes is imported here, which enters its rows."""

from corvo.http.route import ROUTES, Route
from corvo.http.routes import (
    actions,
    admin,
    batches,
    bulk,
    bulk_tasks,
    cluster,
    enqueue,
    events,
    finish,
    jobs,
    meta,
    metrics,
    queues,
    schedules,
    search,
    worker,
    workers,
)

FAMILIES = (
    enqueue,
    batches,
    worker,
    finish,
    jobs,
    actions,
    search,
    bulk,
    bulk_tasks,
    queues,
    schedules,
    workers,
    events,
    cluster,
    metrics,
    admin,
    meta,
)


def routes() -> list[Route]:
    return list(ROUTES)
