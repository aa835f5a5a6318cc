# Made from corvo_sdk/aio/batches.py by make_sync.py: change that file, then run `make sdk`.
"""Open batches: jobs join them one by one; `enqueue_many` makes closed ones."""

from typing import Any

from corvo_sdk.call import path, read, write
from corvo_sdk.models.server import Batch, BatchOpened, BatchPage, BatchSealed
from corvo_sdk.sync.connection import Connection


class Batches:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def open(self, callback_queue: str, callback_payload: Any = None) -> str:
        """The id that jobs join by (`batch_id=`) until the batch is sealed."""
        body = {"callback_queue": callback_queue, "callback_payload": callback_payload}
        return (self._connection.send(write("POST", path("batch"), BatchOpened, body))).batch_id

    def seal(self, batch_id: str) -> BatchSealed:
        """No more jobs; the callback comes when all have ended."""
        return self._connection.send(write("POST", path("batch", batch_id, "seal"), BatchSealed))

    def get(self, batch_id: str) -> Batch:
        return self._connection.send(read("GET", path("batch", batch_id), Batch))

    def page(self, limit: int = 50, cursor: str | None = None) -> BatchPage:
        """Batches, newest first."""
        return self._connection.send(read("GET", path("batches"), BatchPage, limit=limit, cursor=cursor))
