# Made from corvo_client/aio/connection.py by make_sync.py: change that file, then run `make sdk`.
"""Sends calls, again if that is safe and may help."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
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


class Connection:
    """A pool of connections to one server.

    On the transport of httpx2, below its client: a job server sends no cookies and no redirects, and a worker
    that fetches for ever should not write a log line about each request.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._open()

    def _open(self) -> None:
        self._made_in = os.getpid()
        self._http = httpx2.HTTPTransport(**transport_arguments(self.settings))

    def _pool(self) -> httpx2.HTTPTransport:
        # Connections made before a fork are the parent's: who shares them gets the other's answers.
        if self._made_in != os.getpid():
            self._open()
        return self._http

    def send(self, call: Call[T]) -> T:
        """The answer. Raises a CorvoError when the server refuses, or when patience is at its end."""
        body = encode(call.body)
        headers = headers_of(call)
        attempt = 1
        while True:
            try:
                return self._send_once(call, body, headers)
            except CorvoError as error:
                delay_s = self.settings.retry.delay_s(call, error, attempt)
                if delay_s is None:
                    raise
            time.sleep(delay_s)
            attempt += 1

    def _send_once(self, call: Call[T], body: bytes, headers: dict[str, str]) -> T:
        try:
            response = self._pool().handle_request(request_of(call, body, headers, self.settings))
            try:
                content = response.read()
            finally:
                response.close()
        except httpx2.TransportError as error:
            raise failure_of(error, self.settings) from error
        return answer_of(call, response.status_code, content)

    @contextmanager
    def lines(self, call: Call[None]) -> Iterator[Iterator[str]]:
        """The lines of a stream of events, as they come."""
        try:
            response = self._pool().handle_request(request_of(call, b"", {}, self.settings))
            try:
                if response.status_code != 200:
                    raise error_of(response.status_code, response.read())
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    raise CorvoError(f"{self.settings.url} has no stream of events: is it Corvo?")
                yield response.iter_lines()
            finally:
                response.close()
        except httpx2.TransportError as error:
            raise failure_of(error, self.settings) from error

    def close(self) -> None:
        self._http.close()
