"""Outgoing: answers on their way to clients that may not read them.

    handler, Quart --ASGI messages--> [outgoing] --in pieces--> Hypercorn, Granian, an edge process

A server takes an answer as it is and keeps it until its client has read it. A large one is handed over in
pieces, so that what the client has not read is here, where it counts: when all of them are too much, the
slowest is broken off. And a client that takes nothing for a while is given up, whatever the size.
"""

import asyncio
from typing import Any, Final

from corvo.http.wire.byte_budget import ByteBudget
from corvo.http.wire.protocols import AnswerBroken, Send

#: Larger ones go in pieces of this size. Two of them fit into the window of an edge process.
PIECE_BYTES: Final = 128 * 1024


class Outgoing:
    def __init__(self, budget: ByteBudget, stalled_s: float) -> None:
        self._budget = budget
        self._stalled_s = stalled_s

    async def send(self, send: Send, message: dict[str, Any]) -> None:
        """Raises AnswerBroken if the client does not get the answer, or no more of it."""
        body = message.get("body", b"")
        try:
            if len(body) > PIECE_BYTES:
                await self._send_large(send, message, body)
            else:
                async with asyncio.timeout(self._stalled_s):
                    await send(message)
        except TimeoutError:
            raise AnswerBroken("the client does not read its answer") from None

    async def _send_large(self, send: Send, message: dict[str, Any], body: bytes) -> None:
        loop = asyncio.get_running_loop()
        size, more = len(body), message.get("more_body", False)
        async with asyncio.timeout(self._stalled_s) as deadline:
            held = self._budget.begin(lambda: deadline.reschedule(loop.time()))
            try:
                held.add(size)
                for at in range(0, size, PIECE_BYTES):
                    end = at + PIECE_BYTES
                    await send(message | {"body": body[at:end], "more_body": more or end < size})
                    if not held.gave_way:
                        deadline.reschedule(loop.time() + self._stalled_s)
            finally:
                held.end()
