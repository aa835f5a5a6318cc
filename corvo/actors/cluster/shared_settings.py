"""Shared settings: the settings and limits that all nodes of one cluster must have in common.

    settings -> [shared settings] -> node/joining (may this node start), registrar (may that node join),
                                     shared settings keeper (what the cluster records)

Settings become part of what is written: the leader decides by its own how long jobs are kept, and every
node by its own how large a payload may be. Nodes that differ would be one cluster today and another after the
next election. Limits are constants the state machine reads itself; replicas that differ in one come to
different states. Both are recorded in the replicated state, and a node that differs does not take part.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from corvo.config import Config, Setting, settings
from corvo.core import limits
from corvo.core.shared_settings import SharedSettings
from corvo.core.times import format_duration

SETTINGS: Final = (
    "max_payload_size",
    "max_body_size",
    "require_lease_token",
    "max_lease_expirations",
    "retention",
    "retention_interval",
    "lifecycle_events_kept",
    "lifecycle_events_age",
    "audit_retention",
    "audit_kept",
    "webhook_allow_private",
    "webhook_timeout",
    "webhook_disable_after",
)
LIMITS: Final = (
    "BULK_TASKS_UNFINISHED_MAX",
    "DEPENDENTS_TOLD_MAX",
    "DURATION_MS_MAX",
    "ERRORS_KEPT_MAX",
    "EXPIRED_BURIED_MAX",
    "IDEMPOTENCY_TTL_NS",
    "KEYS_MAX",
    "SESSIONS_MAX",
    "SESSIONS_EACH_MAX",
    "LAST_ERROR_CHARS",
    "PAYLOAD_INLINE_BYTES_MAX",
    "QUEUES_MAX",
    "ROLES_MAX",
    "SCHEDULES_MAX",
    "STATE_MACHINE_REVISION",
    "WEBHOOKS_MAX",
    "WORKERS_MAX",
    "WORKER_REFRESH_NS",
)


class SettingsChange(msgspec.Struct):
    """Whether this node's settings are to become the cluster's. That is done once, however often the keeper
    is restarted: meanwhile another node may have changed them again."""

    is_due: bool = False


def shared_settings_of(config: Config) -> SharedSettings:
    own = {name: int(getattr(config, name)) for name in SETTINGS}
    return own | {name: int(getattr(limits, name)) for name in LIMITS}


def objection(node_id: str, own: Mapping[str, int], cluster: Mapping[str, int]) -> str | None:
    """Why a node with these settings cannot be of this cluster, and what to do; None if it can.

    A setting that only one of the two knows is not compared, or no version could ever add a setting.
    """
    differing = [name for name in own if cluster.get(name, own[name]) != own[name]]
    if not differing:
        return None
    named = "; ".join(_differences(node_id, differing, own, cluster))
    if any(name in LIMITS for name in differing):
        return f"{named}. Run the same version of Corvo on all nodes; docs/deploy.md says how to get there."
    return (
        f"{named}. Start {node_id} with the cluster's values. To change them for all, restart every member, "
        "one after the other, with the new values and --change-settings."
    )


def _differences(
    node_id: str, differing: list[str], own: Mapping[str, int], cluster: Mapping[str, int]
) -> Iterator[str]:
    known = {setting.name: setting for setting in settings()}
    for name in differing:
        setting = known.get(name)
        ours, theirs = _spell(setting, own[name]), _spell(setting, cluster[name])
        yield f"{setting.flag if setting else name} is {ours} on {node_id} and {theirs} in the cluster"


def _spell(setting: Setting | None, value: int) -> str:
    if setting is not None and setting.is_duration:
        return format_duration(value)
    if setting is not None and setting.type is bool:
        return "on" if value else "off"
    return str(value)
