"""Messages about webhooks: questions, and deliveries on their way."""

from typing import Any

import msgspec

from corvo.actors.events.messages import NumberedEvent
from corvo.actors.kernel.messages import Message
from corvo.core.namespace import Qualified, Reach
from corvo.core.webhook import Webhook

# Questions


class ListWebhooks(Message, frozen=True):
    """edge, webhooks -> fsm: all webhooks, oldest first. Answer: WebhooksListed."""

    reach: Reach | None = None


class WebhooksListed(Message, frozen=True):
    webhooks: list[Webhook]


class FindWebhook(Message, frozen=True):
    """edge -> fsm: one webhook, its secret included. Answer: WebhookFound, or NotFound."""

    webhook_id: Qualified
    reach: Reach | None = None


class WebhookFound(Message, frozen=True):
    webhook: Webhook


# Deliveries


class DeliveryItem(msgspec.Struct, frozen=True):
    """Something to deliver: an event, or a notice about the deliveries themselves."""

    seq: int
    type: str
    event: NumberedEvent | None = None
    data: dict[str, Any] | None = None


class OutgoingPost(msgspec.Struct, frozen=True):
    url: str
    body: bytes
    headers: tuple[tuple[str, str], ...]


class Receipt(msgspec.Struct, frozen=True):
    #: None if there was no answer.
    status: int | None
    #: None if the receiver took it.
    error: str | None
    took_ms: int


class Posted(Message, frozen=True):
    """sender -> webhooks: this is what became of the post with this tag."""

    tag: Any
    receipt: Receipt


class SendNow(Message, frozen=True):
    """edge -> webhooks: deliver this once, out of order, and answer with the Receipt, or Overloaded."""

    webhook: Webhook
    item: DeliveryItem


class CloseWebhooks(Message, frozen=True):
    """shutdown -> webhooks: begin nothing new, save how far you have come and answer WebhooksClosed."""


class WebhooksClosed(Message, frozen=True):
    pass
