"""Sends calls, again if that is safe and may help."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TypeVar

from corvo_sdk.aio.pool import AsyncPool
from corvo_sdk.call import Call, encode
from corvo_sdk.codec import encoded_body, opened
from corvo_sdk.errors import CorvoError
from corvo_sdk.origin import Origin
from corvo_sdk.settings import Settings
from corvo_sdk.wire import answer_of, headers_of

if TYPE_CHECKING:
    from corvo_sdk.aio.detour import AsyncDetour

T = TypeVar("T")


class AsyncConnection:
    """A pool of connections to one server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._origin = Origin(settings)
        self._pool = AsyncPool(self._origin, settings.connections)
        self._by_httpx: AsyncDetour | None = None

    async def send(self, call: Call[T]) -> T:
        """The answer. Raises a CorvoError when the server refuses, or when patience is at its end."""
        codec = self.settings.codec
        body = encode(call.body if codec is None else encoded_body(codec, call.body))
        headers = headers_of(call)
        attempt = 1
        while True:
            try:
                return self.opened(await self._send_once(call, body, headers))
            except CorvoError as error:
                delay_s = self.settings.retry.delay_s(call, error, attempt)
                if delay_s is None:
                    raise
            await asyncio.sleep(delay_s)
            attempt += 1

    def opened(self, answer: T) -> T:
        """The answer with what is encoded in it decoded."""
        codec = self.settings.codec
        return answer if codec is None else opened(codec, answer)

    async def _send_once(self, call: Call[T], body: bytes, headers: dict[str, str]) -> T:
        if self.settings.proxy is not None:
            status, content = await self._detour().exchange(call, body, headers)
        else:
            request = self._origin.request_of(call, body, headers)
            status, content, _ = await self._pool.exchange(request, call.method, self._origin.read_s(call))
        return answer_of(call, status, content)

    def lines(self, call: Call[None]) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        """The lines of a stream of events, as they come."""
        return self._detour().lines(call)

    def _detour(self) -> "AsyncDetour":
        if self._by_httpx is None:
            from corvo_sdk.aio.detour import AsyncDetour  # noqa: PLC0415 - httpx2 takes long to load

            self._by_httpx = AsyncDetour(self.settings, self._origin.tls())
        return self._by_httpx

    async def aclose(self) -> None:
        await self._pool.aclose()
        if self._by_httpx is not None:
            await self._by_httpx.aclose()
