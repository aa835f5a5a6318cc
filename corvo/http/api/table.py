"""Route table: every family of routes is imported here, which enters its rows."""

from importlib import import_module
from typing import Final

from corvo.http.serve.route import ROUTES, Route

#: In the order of the API's description.
FAMILIES: Final = (
    "produce.enqueue",
    "produce.batches",
    "work.worker",
    "work.stream",
    "work.finish",
    "manage.jobs",
    "manage.graph",
    "manage.actions",
    "manage.search",
    "manage.failures",
    "manage.bulk",
    "manage.bulk_tasks",
    "manage.queues",
    "manage.schedules",
    "work.workers",
    "manage.events",
    "manage.webhooks",
    "produce.inbound",
    "access.keys",
    "access.roles",
    "access.namespaces",
    "access.sessions",
    "access.oidc",
    "access.sso",
    "operate.audit",
    "operate.cluster",
    "operate.members",
    "operate.metrics",
    "operate.admin",
    "operate.meta",
)
for family in FAMILIES:
    import_module(f"corvo.http.api.routes.{family}")


def routes() -> list[Route]:
    return list(ROUTES)
