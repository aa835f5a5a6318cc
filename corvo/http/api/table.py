"""The whole table: every family of routes is imported here, which enters its rows."""

from corvo.http.api.routes.manage import (
    actions,
    bulk,
    bulk_tasks,
    events,
    failures,
    graph,
    jobs,
    queues,
    schedules,
    search,
    webhooks,
)
from corvo.http.api.routes.operate import admin, cluster, members, meta, metrics
from corvo.http.api.routes.produce import batches, enqueue, inbound
from corvo.http.api.routes.work import finish, stream, worker, workers
from corvo.http.serve.route import ROUTES, Route

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
