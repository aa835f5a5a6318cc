"""Ops of webhooks: what people set, and how far deliveries have come."""

import msgspec

from corvo.core.namespace import Qualified, Reach
from corvo.core.webhook import Delivery
from corvo.ops.base import Op, op


@op
class SetWebhook(Op, frozen=True, tag=40):
    """Make a webhook, or change the one with this id. A new one starts with the next event."""

    webhook_id: Qualified
    url: str
    events: tuple[str, ...]
    #: None leaves it as it is; an empty one takes it away.
    secret: str | None
    enabled: bool
    retry_limit: int
    reach: Reach | None = None


@op
class DeleteWebhook(Op, frozen=True, tag=41):
    webhook_id: Qualified


@op
class SwitchWebhook(Op, frozen=True, tag=42):
    """On or off. Switched on it goes on where it stopped, or with the next event."""

    webhook_id: Qualified
    enabled: bool
    from_now: bool = False


@op
class RewindWebhook(Op, frozen=True, tag=43):
    """Deliver again, from this event on."""

    webhook_id: Qualified
    from_seq: int


class Advance(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """How far the deliveries of one webhook have come since the last time."""

    webhook_id: Qualified
    #: Of the webhook as the dispatcher knew it; if the webhook was changed since, this is dropped.
    epoch: int
    cursor: int
    delivered: int
    failed: int
    #: The latest of them.
    recent: tuple[Delivery, ...]
    failing_since_ns: int | None
    first_failed_seq: int | None
    failed_in_a_row: int
    #: Why it is to be switched off.
    disable: str | None = None


@op
class AdvanceWebhooks(Op, frozen=True, tag=44):
    """Many deliveries of many webhooks, in one op."""

    advances: list[Advance]
