"""Permissions: everything a principal may be allowed, each named by the routes that need it.

A route declares the permission it needs, a role holds some of them. This list is closed: a route that names
another one, or none, does not start.
"""

from typing import Final

#: permission -> what it allows.
PERMISSIONS: Final[dict[str, str]] = {
    "self:read": "ask who one is and what one may do",
    "enqueue:write": "enqueue jobs, one, many or by an inbound webhook",
    "batch:read": "look at batches",
    "batch:write": "open and seal batches",
    "fetch:write": "fetch jobs, and open a worker's stream",
    "ack:write": "acknowledge jobs",
    "fail:write": "fail jobs",
    "heartbeat:write": "keep leases alive",
    "release:write": "hand leases back",
    "jobs:read": "look at single jobs, their history, errors and relatives",
    "jobs:search": "search jobs, and group failures",
    "jobs:retry": "retry jobs",
    "jobs:cancel": "cancel jobs",
    "jobs:hold": "hold jobs",
    "jobs:approve": "approve held jobs",
    "jobs:reject": "reject held jobs",
    "jobs:move": "move jobs to other queues",
    "jobs:write": "change jobs in other ways",
    "jobs:delete": "delete jobs",
    "jobs:bulk": "change many jobs at once",
    "payload:read": "see payloads, results, checkpoints, progress and error texts unredacted",
    "bulk:read": "look at bulk tasks",
    "queues:read": "look at queues",
    "queues:pause": "pause queues",
    "queues:resume": "resume queues",
    "queues:drain": "drain queues",
    "queues:write": "limit and throttle queues",
    "queues:clear": "clear queues",
    "queues:delete": "delete queues",
    "schedules:read": "look at schedules",
    "schedules:write": "make, change, run and delete schedules",
    "webhooks:read": "look at webhooks",
    "webhooks:write": "make, change and delete webhooks",
    "events:read": "follow events",
    "workers:read": "look at workers",
    "metrics:read": "read metrics and throughput",
    "keys:read": "look at API keys, never at their secrets",
    "keys:write": "make, change, rotate and delete API keys",
    "roles:read": "look at roles",
    "roles:write": "make, change and delete roles",
    "namespaces:read": "look at namespaces and how much of their quotas they use",
    "namespaces:write": "make and delete namespaces, and set their quotas",
    "audit:read": "read the audit log",
    "sso:read": "look at the settings of single sign-on",
    "sso:write": "change the settings of single sign-on",
    "cluster:read": "look at the nodes of the cluster",
    "cluster:write": "add and remove nodes, hand over the lead",
    "admin:read": "have a node check itself",
    "admin:write": "rebuild the search mirror",
    "debug:read": "look inside a node",
}

#: Of the whole cluster, not of one namespace: only principals of all namespaces and all queues have these.
CLUSTER_WIDE: Final = frozenset(
    permission
    for permission in PERMISSIONS
    if permission.partition(":")[0] in ("roles", "sso", "cluster", "admin", "debug")
    or permission == "namespaces:write"
)

_PRODUCER: Final = frozenset(
    {"self:read", "enqueue:write", "batch:read", "batch:write", "jobs:read", "payload:read"}
)
_WORKER: Final = _PRODUCER | {
    "fetch:write",
    "ack:write",
    "fail:write",
    "heartbeat:write",
    "release:write",
    "queues:read",
    "events:read",
}
#: Held by no built-in role but admin.
FOR_ADMINS: Final = frozenset(
    {
        "keys:write",
        "roles:read",
        "roles:write",
        "namespaces:write",
        "audit:read",
        "sso:read",
        "sso:write",
        "cluster:write",
    }
)
_NOT_FOR_READERS: Final = FOR_ADMINS | {"keys:read", "payload:read", "admin:read", "debug:read"}

#: Roles that are always there. All others are made by admins.
BUILT_IN: Final[dict[str, frozenset[str]]] = {
    "admin": frozenset(PERMISSIONS),
    "operator": frozenset(PERMISSIONS) - FOR_ADMINS,
    "producer": _PRODUCER,
    "worker": _WORKER,
    "readonly": frozenset(
        permission
        for permission in PERMISSIONS
        if permission.endswith((":read", ":search")) and permission not in _NOT_FOR_READERS
    ),
}


def matching(resource: str, action: str) -> frozenset[str]:
    """The permissions that a role's pair names. The resource may end in a star; `*` is any action, and
    `write` any but reading."""
    return frozenset(
        permission
        for permission in PERMISSIONS
        if _names(resource, permission.partition(":")[0]) and _does(action, permission.partition(":")[2])
    )


def _names(resource: str, name: str) -> bool:
    return name.startswith(resource[:-1]) if resource.endswith("*") else name == resource


def _does(action: str, name: str) -> bool:
    return action in ("*", name) or (action == "write" and name not in ("read", "search"))
