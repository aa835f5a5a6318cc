"""Outgoing webhooks: where the server reports events to. And jobs that come in as somebody else's webhook."""

from collections.abc import Sequence
from typing import Any

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import path, read, write
from corvo_sdk.models.server import Deliveries, Delivery, Sent, Webhook, WebhookChanged


class AsyncWebhooks:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def all(self) -> list[Webhook]:
        """Oldest first."""
        return await self._connection.send(read("GET", path("webhooks"), list[Webhook]))

    async def get(self, webhook_id: str) -> Webhook:
        return await self._connection.send(read("GET", path("webhooks", webhook_id), Webhook))

    async def put(
        self,
        url: str,
        *,
        webhook_id: str | None = None,
        events: Sequence[str] = ("*",),
        secret: str | None = None,
        enabled: bool = True,
        retry_limit: int | None = None,
    ) -> str:
        """Make one, or change the one with this id: its id. The secret signs every delivery."""
        body: dict[str, Any] = {"url": url, "events": list(events), "enabled": enabled}
        given = {"id": webhook_id, "secret": secret, "retry_limit": retry_limit}
        body |= {name: value for name, value in given.items() if value is not None}
        return (await self._connection.send(write("POST", path("webhooks"), WebhookChanged, body))).id

    async def enable(self, webhook_id: str, *, from_now: bool = False) -> None:
        """It goes on where it stopped, or with what happens next."""
        body = {"from": "now" if from_now else "cursor"}
        await self._connection.send(
            write("POST", path("webhooks", webhook_id, "enable"), WebhookChanged, body)
        )

    async def disable(self, webhook_id: str) -> None:
        """It keeps its place."""
        await self._connection.send(write("POST", path("webhooks", webhook_id, "disable"), WebhookChanged))

    async def delete(self, webhook_id: str) -> None:
        await self._connection.send(write("DELETE", path("webhooks", webhook_id), WebhookChanged))

    async def deliveries(self, webhook_id: str) -> list[Delivery]:
        """The latest, oldest first."""
        call = read("GET", path("webhooks", webhook_id, "deliveries"), Deliveries)
        return (await self._connection.send(call)).deliveries

    async def redeliver(self, webhook_id: str, seq: int) -> Sent:
        """This event again, now."""
        call = write("POST", path("webhooks", webhook_id, "redeliver"), Sent, {"seq": seq})
        return await self._connection.send(call)

    async def rewind(self, webhook_id: str, from_seq: int) -> Sent:
        """Everything from this event on again, in order."""
        call = write("POST", path("webhooks", webhook_id, "redeliver"), Sent, {"from_seq": from_seq})
        return await self._connection.send(call)

    async def test(self, webhook_id: str) -> Sent:
        """Send a ping and say what became of it."""
        return await self._connection.send(write("POST", path("webhooks", webhook_id, "test"), Sent))
