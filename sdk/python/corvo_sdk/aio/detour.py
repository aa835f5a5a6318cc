"""By httpx2: streams of events, and everything when there is a proxy to be asked."""

import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from corvo_sdk.call import Call
from corvo_sdk.errors import CorvoError
from corvo_sdk.httpx_wire import failure_of, request_of, transport_arguments
from corvo_sdk.settings import Settings
from corvo_sdk.wire import error_of

#: What is read line by line.
_STREAMS = ("text/event-stream", "application/x-ndjson")


class AsyncDetour:
    """On the transport of httpx2, below its client: a job server sends no cookies and no redirects, and a
    worker that fetches for ever should not write a log line about each request.
    """

    def __init__(self, settings: Settings, tls: ssl.SSLContext | None) -> None:
        self._settings = settings
        self._tls = tls
        self._open()

    def _open(self) -> None:
        self._made_in = os.getpid()
        self._http = httpx2.AsyncHTTPTransport(**transport_arguments(self._settings, self._tls))

    def _pool(self) -> httpx2.AsyncHTTPTransport:
        # Connections made before a fork are the parent's: who shares them gets the other's answers.
        if self._made_in != os.getpid():
            self._open()
        return self._http

    async def exchange(self, call: Call[Any], body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Status and body of the answer."""
        try:
            response = await self._pool().handle_async_request(
                request_of(call, body, headers, self._settings)
            )
            try:
                content = await response.aread()
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            raise failure_of(error, self._settings) from error
        return response.status_code, content

    @asynccontextmanager
    async def lines(self, call: Call[None]) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of a stream of events, as they come."""
        try:
            response = await self._pool().handle_async_request(request_of(call, b"", {}, self._settings))
            try:
                if response.status_code != 200:
                    raise error_of(response.status_code, await response.aread())
                if not response.headers.get("content-type", "").startswith(_STREAMS):
                    raise CorvoError(f"{self._settings.url} has no stream of events: is it Corvo?")
                yield response.aiter_lines()
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            raise failure_of(error, self._settings) from error

    async def aclose(self) -> None:
        await self._http.aclose()
