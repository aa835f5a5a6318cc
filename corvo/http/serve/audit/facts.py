"""Facts: what a record says of the ops of its request, beside their path.

Fields are named one by one, so that no secret, payload or text of a client's own gets into the audit log by
being added to an op.
"""

from enum import IntEnum
from typing import Any, Final
from urllib.parse import urlsplit

from corvo.core.limits import AUDIT_TEXT_CHARS_MAX
from corvo.core.namespace import Qualified, name_of
from corvo.ops import access, bulk, cron, job_admin, namespaces, queue_admin, webhooks
from corvo.ops.base import Op

#: Op -> the fields that are told. A fact that the path tells anyway is left out.
TOLD: Final[dict[type[Op], tuple[str, ...]]] = {
    access.SetKey: ("key_id", "name", "namespace", "role", "scope", "enabled", "existing"),
    access.RotateKey: ("key_id",),
    access.DeleteKey: ("key_id",),
    access.SetRole: ("name",),
    access.DeleteRole: ("name",),
    access.GrantRole: ("key_id", "role", "granted"),
    bulk.CreateBulk: ("task_id", "action", "queue", "priority", "expected"),
    bulk.CancelBulk: ("task_id",),
    cron.SetSchedule: ("schedule_id",),
    cron.DeleteSchedule: ("schedule_id",),
    cron.RunSchedule: ("schedule_id",),
    job_admin.Act: ("action", "queue", "priority"),
    job_admin.ActMany: ("action", "queue", "priority"),
    namespaces.SetNamespace: ("name", "is_new"),
    namespaces.DeleteNamespace: ("name", "task_id"),
    queue_admin.PauseQueue: ("paused",),
    queue_admin.LimitQueue: ("max_concurrency",),
    queue_admin.ThrottleQueue: ("rate", "window_ms"),
    queue_admin.ClearQueue: (),
    queue_admin.DeleteQueue: (),
    webhooks.SetWebhook: ("webhook_id", "events", "enabled"),
    webhooks.DeleteWebhook: ("webhook_id",),
    webhooks.SwitchWebhook: ("webhook_id", "enabled", "from_now"),
    webhooks.RewindWebhook: ("webhook_id", "from_seq"),
}


def facts_of(ops: tuple[Op, ...]) -> dict[str, Any]:
    """Of the first op: the others of a request only carry on with it."""
    first = next((op for op in ops if type(op) in TOLD), None)
    if first is None:
        return {}
    facts = {name: _told(name, value) for name in TOLD[type(first)] if _says(value := getattr(first, name))}
    if isinstance(first, access.SetRole):
        facts["permissions"] = [
            f"{pair.resource}:{action}"[:AUDIT_TEXT_CHARS_MAX]
            for pair in first.permissions
            for action in pair.actions
        ]
    if isinstance(first, cron.SetSchedule):
        facts |= {"name": _text(first.plan.name), "enabled": first.plan.enabled}
    if isinstance(first, webhooks.SetWebhook):
        # Not the whole URL: people put secrets into paths and queries.
        facts["host"] = _text(urlsplit(first.url).hostname or "")
    return facts


def _says(value: Any) -> bool:
    return value is not None and value != ()


def _told(name: str, value: Any) -> Any:
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, tuple):
        return [_text(str(each)) for each in value]
    if isinstance(value, str):
        return _text(name_of(Qualified(value)) if name == "queue" else value)
    return value


def _text(value: str) -> str:
    return value[:AUDIT_TEXT_CHARS_MAX]
