"""Bodies of the webhook endpoints, and of the deliveries themselves (docs/webhooks.md)."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo import __version__
from corvo.actors.events.messages import NumberedEvent
from corvo.actors.webhooks.messages import DeliveryItem, OutgoingPost, Receipt
from corvo.actors.webhooks.webhook_targets import TargetRefused, check_literal, parse_target
from corvo.core.errors import WebhookRefused
from corvo.core.events import BY_LABEL
from corvo.core.limits import (
    WEBHOOK_ATTEMPTS_DEFAULT,
    WEBHOOK_ATTEMPTS_MAX,
    WEBHOOK_ID_CHARS_MAX,
    WEBHOOK_SECRET_CHARS_MAX,
    WEBHOOK_URL_CHARS_MAX,
)
from corvo.core.namespace import Qualified, Reach, name_of
from corvo.core.times import format_time_ns
from corvo.core.webhook import EVERYTHING, Delivery, Webhook
from corvo.http.api.routes.writing import time_or_unset
from corvo.http.api.schema.events import EventBody, event_body
from corvo.ops.webhooks import SetWebhook

_encode = msgspec.json.Encoder().encode
_ID_PATTERN = r"^[A-Za-z0-9_.-]+$"


class WebhookRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A webhook to be made, or changed if there is one with this id."""

    url: Annotated[str, Meta(max_length=WEBHOOK_URL_CHARS_MAX)] | None = None
    id: Annotated[str, Meta(max_length=WEBHOOK_ID_CHARS_MAX, pattern=_ID_PATTERN)] | None = None
    #: Types of events; without them, or with "*", all.
    events: Annotated[list[str], Meta(max_length=100)] | None = None
    #: Signs every delivery. Absent leaves it as it is; an empty one takes it away.
    secret: Annotated[str, Meta(max_length=WEBHOOK_SECRET_CHARS_MAX)] | None = None
    enabled: bool | None = None
    #: Attempts at one event, in total.
    retry_limit: Annotated[int, Meta(ge=1, le=WEBHOOK_ATTEMPTS_MAX)] | None = None


class WebhookDone(msgspec.Struct):
    status: str
    id: str


class EnableRequest(msgspec.Struct, forbid_unknown_fields=True):
    start: Annotated[
        Literal["cursor", "now"], Meta(description="Go on where it stopped, or with what happens next.")
    ] = msgspec.field(default="cursor", name="from")


class RedeliverRequest(msgspec.Struct, forbid_unknown_fields=True):
    """One event, or everything from one event on."""

    seq: Annotated[int, Meta(ge=1, le=2**62)] | None = None
    from_seq: Annotated[int, Meta(ge=1, le=2**62)] | None = None


class DeliveryBody(msgspec.Struct, omit_defaults=True):
    seq: int
    type: str
    at: str
    attempts: int
    delivered: bool
    took_ms: int
    status_code: int | UnsetType = UNSET
    error: str | UnsetType = UNSET


class WebhookBody(msgspec.Struct, omit_defaults=True):
    """A webhook. Its secret is never shown."""

    id: str
    url: str
    events: list[str]
    has_secret: bool
    enabled: bool
    retry_limit: int
    created_at: str
    #: The last event it is done with.
    cursor: int
    delivered_total: int
    failed_total: int
    disabled_reason: str | UnsetType = UNSET
    failing_since: str | UnsetType = UNSET
    first_failed_seq: int | UnsetType = UNSET
    last_status_code: int | UnsetType = UNSET
    last_error: str | UnsetType = UNSET
    last_delivery_at: str | UnsetType = UNSET


class DeliveriesBody(msgspec.Struct):
    """The latest, oldest first."""

    deliveries: list[DeliveryBody]


class SentBody(msgspec.Struct, omit_defaults=True):
    """What became of a delivery that was made at once, or from which event on all are delivered again."""

    status: str
    delivered: bool | UnsetType = UNSET
    took_ms: int | UnsetType = UNSET
    status_code: int | UnsetType = UNSET
    error: str | UnsetType = UNSET
    from_seq: int | UnsetType = UNSET


# From request to op


def set_webhook(
    request: WebhookRequest, webhook_id: Qualified, reach: Reach | None, *, allow_private: bool
) -> SetWebhook:
    if not request.url:
        raise WebhookRefused("url is required")
    try:
        check_literal(parse_target(request.url), allow_private=allow_private)
    except TargetRefused as refused:
        raise WebhookRefused(str(refused)) from None
    return SetWebhook(
        webhook_id=webhook_id,
        url=request.url,
        events=_events(request.events),
        secret=request.secret,
        enabled=True if request.enabled is None else request.enabled,
        retry_limit=request.retry_limit or WEBHOOK_ATTEMPTS_DEFAULT,
        reach=reach,
    )


def _events(given: list[str] | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip().lower() for name in given or ()))
    for name in names:
        if name != EVERYTHING and name not in BY_LABEL:
            raise WebhookRefused(f"events: {name[:40]!r} is not a type of event")
    return (EVERYTHING,) if not names or EVERYTHING in names else names


# Deliveries


def pack(
    webhook: Webhook,
    item: DeliveryItem,
    attempt: int,
    now_ns: int,
    opened: Callable[[NumberedEvent], NumberedEvent] = lambda event: event,
) -> OutgoingPost:
    """One delivery as a request. The time is inside the body, so the signature covers it, too. `opened` gives
    an event as receivers may see it: what is sealed in it is opened."""
    event = event_body(opened(item.event)) if item.event is not None else _notice(item, now_ns)
    name = name_of(webhook.id)
    body = _encode({"webhook_id": name, "event": event, "sent_at": format_time_ns(now_ns)})
    headers = [
        ("Content-Type", "application/json"),
        ("User-Agent", f"corvo/{__version__}"),
        ("X-Corvo-Webhook-ID", name),
        ("X-Corvo-Webhook-Event", item.type),
        ("X-Corvo-Webhook-Delivery", f"{name}-{item.seq}"),
        ("X-Corvo-Webhook-Attempt", str(attempt)),
    ]
    if webhook.secret is not None:
        headers.append(("X-Corvo-Signature", sign(webhook.secret, body)))
    return OutgoingPost(webhook.url, body, tuple(headers))


def sign(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _notice(item: DeliveryItem, now_ns: int) -> EventBody:
    data: Any = UNSET if item.data is None else item.data
    return EventBody(seq=item.seq, type=item.type, at_ns=now_ns, data=data)


# Answers


def webhook_body(webhook: Webhook) -> WebhookBody:
    last = webhook.last
    return WebhookBody(
        id=name_of(webhook.id),
        url=webhook.url,
        events=list(webhook.events),
        has_secret=webhook.secret is not None,
        enabled=webhook.enabled,
        retry_limit=webhook.retry_limit,
        created_at=format_time_ns(webhook.created_ns),
        cursor=webhook.cursor,
        delivered_total=webhook.delivered_total,
        failed_total=webhook.failed_total,
        disabled_reason=webhook.disabled_reason or UNSET,
        failing_since=time_or_unset(webhook.failing_since_ns),
        first_failed_seq=_or_unset(webhook.first_failed_seq),
        last_status_code=UNSET if last is None else _or_unset(last.status),
        last_error=UNSET if last is None else last.error or UNSET,
        last_delivery_at=UNSET if last is None else format_time_ns(last.at_ns),
    )


def delivery_body(delivery: Delivery) -> DeliveryBody:
    return DeliveryBody(
        seq=delivery.seq,
        type=delivery.type,
        at=format_time_ns(delivery.at_ns),
        attempts=delivery.attempts,
        delivered=delivery.error is None,
        took_ms=delivery.took_ms,
        status_code=_or_unset(delivery.status),
        error=delivery.error or UNSET,
    )


def sent_body(receipt: Receipt) -> SentBody:
    return SentBody(
        status="delivered" if receipt.error is None else "failed",
        delivered=receipt.error is None,
        took_ms=receipt.took_ms,
        status_code=_or_unset(receipt.status),
        error=receipt.error or UNSET,
    )


def _or_unset(value: int | None) -> int | UnsetType:
    return UNSET if value is None else value
