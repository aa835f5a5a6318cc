"""Sends calls, again if that is safe and may help."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import httpx2

from corvo_client.call import Call, encode
from corvo_client.errors import CorvoError
from corvo_client.settings import Settings
from corvo_client.wire import (
    answer_of,
    error_of,
    failure_of,
    headers_of,
    request_of,
    transport_arguments,
)

T = TypeVar("T")


class AsyncConnection:
    """A pool of connections to one server.

    On the transport of httpx2, below its client: a job server sends no cookies and no redirects, and a worker
    that fetches for ever should not write a log line about each request.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._open()

    def _open(self) -> None:
        self._made_in = os.getpid()
        self._http = httpx2.AsyncHTTPTransport(**transport_arguments(self.settings))

    def _pool(self) -> httpx2.AsyncHTTPTransport:
        # Connections made before a fork are the parent's: who shares them gets the other's answers.
        if self._made_in != os.getpid():
            self._open()
        return self._http

    async def send(self, call: Call[T]) -> T:
        """The answer. Raises a CorvoError when the server refuses, or when patience is at its end."""
        body = encode(call.body)
        headers = headers_of(call)
        attempt = 1
        while True:
            try:
                return await self._send_once(call, body, headers)
            except CorvoError as error:
                delay_s = self.settings.retry.delay_s(call, error, attempt)
                if delay_s is None:
                    raise
            await asyncio.sleep(delay_s)
            attempt += 1

    async def _send_once(self, call: Call[T], body: bytes, headers: dict[str, str]) -> T:
        try:
            response = await self._pool().handle_async_request(request_of(call, body, headers, self.settings))
            try:
                content = await response.aread()
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            raise failure_of(error, self.settings) from error
        return answer_of(call, response.status_code, content)

    @asynccontextmanager
    async def lines(self, call: Call[None]) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of a stream of events, as they come."""
        try:
            response = await self._pool().handle_async_request(request_of(call, b"", {}, self.settings))
            try:
                if response.status_code != 200:
                    raise error_of(response.status_code, await response.aread())
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    raise CorvoError(f"{self.settings.url} has no stream of events: is it Corvo?")
                yield response.aiter_lines()
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            raise failure_of(error, self.settings) from error

    async def aclose(self) -> None:
        await self._http.aclose()
