# Made from corvo_sdk/aio/connection.py by make_sync.py: change that file, then run `make sdk`.
"""Sends calls, again if that is safe and may help."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from corvo_sdk.call import Call, encode
from corvo_sdk.codec import encoded_body, opened
from corvo_sdk.errors import CorvoError
from corvo_sdk.origin import Origin
from corvo_sdk.settings import Settings
from corvo_sdk.sync.pool import Pool
from corvo_sdk.wire import answer_of, headers_of

if TYPE_CHECKING:
    from corvo_sdk.sync.detour import Detour

T = TypeVar("T")


class Connection:
    """A pool of connections to one server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._origin = Origin(settings)
        self._pool = Pool(self._origin, settings.connections)
        self._by_httpx: Detour | None = None

    def send(self, call: Call[T]) -> T:
        """The answer. Raises a CorvoError when the server refuses, or when patience is at its end."""
        codec = self.settings.codec
        body = encode(call.body if codec is None else encoded_body(codec, call.body))
        headers = headers_of(call)
        attempt = 1
        while True:
            try:
                return self.opened(self._send_once(call, body, headers))
            except CorvoError as error:
                delay_s = self.settings.retry.delay_s(call, error, attempt)
                if delay_s is None:
                    raise
            time.sleep(delay_s)
            attempt += 1

    def opened(self, answer: T) -> T:
        """The answer with what is encoded in it decoded."""
        codec = self.settings.codec
        return answer if codec is None else opened(codec, answer)

    def _send_once(self, call: Call[T], body: bytes, headers: dict[str, str]) -> T:
        if self.settings.proxy is not None:
            status, content = self._detour().exchange(call, body, headers)
        else:
            request = self._origin.request_of(call, body, headers)
            status, content, _ = self._pool.exchange(request, call.method, self._origin.read_s(call))
        return answer_of(call, status, content)

    def lines(self, call: Call[None]) -> AbstractContextManager[Iterator[str]]:
        """The lines of a stream of events, as they come."""
        return self._detour().lines(call)

    def _detour(self) -> "Detour":
        if self._by_httpx is None:
            from corvo_sdk.sync.detour import Detour  # noqa: PLC0415 - httpx2 takes long to load

            self._by_httpx = Detour(self.settings, self._origin.tls())
        return self._by_httpx

    def close(self) -> None:
        self._pool.close()
        if self._by_httpx is not None:
            self._by_httpx.close()
