"""Open batches: jobs join them one by one; `enqueue_many` makes closed ones."""

from typing import Any

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import path, read, write
from corvo_sdk.models.server import Batch, BatchOpened, BatchPage, BatchSealed


class AsyncBatches:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def open(self, callback_queue: str, callback_payload: Any = None) -> str:
        """The id that jobs join by (`batch_id=`) until the batch is sealed."""
        body = {"callback_queue": callback_queue, "callback_payload": callback_payload}
        return (await self._connection.send(write("POST", path("batch"), BatchOpened, body))).batch_id

    async def seal(self, batch_id: str) -> BatchSealed:
        """No more jobs; the callback comes when all have ended."""
        return await self._connection.send(write("POST", path("batch", batch_id, "seal"), BatchSealed))

    async def get(self, batch_id: str) -> Batch:
        return await self._connection.send(read("GET", path("batch", batch_id), Batch))

    async def page(self, limit: int = 50, cursor: str | None = None) -> BatchPage:
        """Batches, newest first."""
        return await self._connection.send(
            read("GET", path("batches"), BatchPage, limit=limit, cursor=cursor)
        )
