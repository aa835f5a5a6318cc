"""Questions about webhooks, and what deliveries by hand are asked with."""

from corvo.actors.kernel.messages import Message
from corvo.actors.webhooks.delivery_queue import Item
from corvo.core.webhook import Webhook


class ListWebhooks(Message, frozen=True):
    """edge, webhooks -> fsm: all webhooks, oldest first. Answer: WebhooksListed."""


class WebhooksListed(Message, frozen=True):
    webhooks: list[Webhook]


class FindWebhook(Message, frozen=True):
    """edge -> fsm: one webhook, its secret included. Answer: WebhookFound, or NotFound."""

    webhook_id: str


class WebhookFound(Message, frozen=True):
    webhook: Webhook


class SendNow(Message, frozen=True):
    """edge -> webhooks: deliver this once, out of order, and answer with the Receipt, or Overloaded."""

    webhook: Webhook
    item: Item


class CloseWebhooks(Message, frozen=True):
    """shutdown -> webhooks: begin nothing new, save how far you have come and answer WebhooksClosed."""


class WebhooksClosed(Message, frozen=True):
    pass
