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
    failures,
    finish,
    graph,
    inbound,
    jobs,
    members,
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
    failures,
    bulk,
    bulk_tasks,
    queues,
    schedules,
    workers,
    events,
    webhooks,
    inbound,
    cluster,
    members,
    metrics,
    admin,
    meta,
)


def routes() -> list[Route]:
    return list(ROUTES)
