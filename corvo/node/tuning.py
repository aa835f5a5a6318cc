"""Tuning: the node's settings in the form each part wants, and values that need not be set."""

from datetime import timedelta
from typing import Final

from corvo.actors.cluster.leader_forwarder import ForwarderSettings
from corvo.actors.time.upkeep_tasks import UpkeepSettings
from corvo.actors.webhooks.dispatcher import WebhookSettings
from corvo.actors.webhooks.sender import SenderSettings
from corvo.actors.write.batcher import BatchSettings
from corvo.config import Config
from corvo.core.clock import NS_PER_MS

#: Reads and entries share this mailbox, and an entry may never be turned away.
FSM_MAILBOX: Final = 1 << 20
#: A hang-up that is turned away would have a job claimed for a client that is gone, and thousands may come
#: at once.
DESK_MAILBOX: Final = 1 << 16
#: An entry that finds no room here is read from the store instead, so this may be small.
MIRROR_MAILBOX: Final = 1_024
#: LevelDB is synced no more often than this: the journal on the same disk must be, and no request waits for
#: LevelDB.
STORE_EVERY_S: Final = 0.005


def batching(config: Config) -> BatchSettings:
    return BatchSettings(
        ops_max=config.apply_batch_max,
        window=timedelta(microseconds=config.apply_batch_window_us),
        min_wait=timedelta(microseconds=config.apply_batch_min_wait_us),
        extend_at=config.apply_batch_extend_at,
        pending_ops_max=config.raft_max_pending,
    )


def forwarding(config: Config) -> ForwarderSettings:
    return ForwarderSettings(
        node_id=config.node_id,
        leader_wait=timedelta(milliseconds=config.leader_wait),
        parcels_max=config.raft_max_pending,
    )


def upkeep(config: Config) -> UpkeepSettings:
    return UpkeepSettings(
        max_lease_expirations=config.max_lease_expirations,
        retention_ns=config.retention * NS_PER_MS,
        retention_interval_ns=config.retention_interval * NS_PER_MS,
        events_kept=config.lifecycle_events_kept,
        events_age_ns=config.lifecycle_events_age * NS_PER_MS,
        audit_kept=config.audit_kept,
        audit_age_ns=config.audit_retention * NS_PER_MS,
    )


def delivering(config: Config) -> SenderSettings:
    return SenderSettings(config.webhook_timeout / 1_000, config.webhook_allow_private)


def webhooks(config: Config) -> WebhookSettings:
    """A cursor that only passed unwanted events is saved well before the log forgets them."""
    return WebhookSettings(
        save_passing_after=timedelta(milliseconds=min(60_000, config.lifecycle_events_age // 4)),
        passing_max=min(10_000, config.lifecycle_events_kept // 10),
        disable_after_ns=config.webhook_disable_after * NS_PER_MS,
    )
