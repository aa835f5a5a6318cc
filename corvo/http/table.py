"""The whole table: every family of routes is imported here, which enters its rows."""

from corvo.http.route import ROUTES, Route
from corvo.http.routes import admin, cluster, enqueue, finish, jobs, meta, metrics, queues, worker, workers

FAMILIES = (enqueue, worker, finish, jobs, queues, workers, cluster, metrics, admin, meta)


def routes() -> list[Route]:
    return list(ROUTES)
