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
    graph,
    inbound,
    jobs,
    meta,
    metrics,
    queues,
    schedules,
    search,
    stream,
    webhooks,
    worker,
    workers,
)

FAMILIES = (
    enqueue,
    batches,
    worker,
    stream,
    finish,
    jobs,
    graph,
    actions,
    search,
    bulk,
    bulk_tasks,
    queues,
    schedules,
    workers,
    events,
    webhooks,
    inbound,
    cluster,
    metrics,
    admin,
    meta,
)


def routes() -> list[Route]:
    return list(ROUTES)
