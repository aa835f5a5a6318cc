"""Client: speaks HTTP to a node by http.client, which comes with Python and loads in 30 ms.

Every write carries an Idempotency-Key, so that a request whose answer was lost can be sent again and
happens once.
"""

import http.client
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from corvo.cli.problems import ApiError, Misused, Problem, Unreachable
from corvo.cli.request import exact_json
from corvo.cli.request.address import parse_address
from corvo.cli.request.trust import context_of, hint_of

#: Sent again when the server says "later", or when the connection broke.
_TRIES = 4
_PAUSE_S_MAX = 2.0
_SAFE_TO_REPEAT = (429, 502, 503)


class Target(NamedTuple):
    """Which server, and with which credential."""

    server: str
    api_key: str | None = None
    namespace: str | None = None
    timeout_s: float = 30.0
    #: Of servers behind TLS: who must have signed their certificate, and what they are shown.
    ca_file: str | None = None
    client_cert: str | None = None
    client_key: str | None = None


class _Answer(NamedTuple):
    status: int
    text: bytes
    #: How long to wait before the request is sent again.
    pause_s: float
    #: Whether it has the header that every answer of Corvo has.
    is_marked: bool


class Api:
    def __init__(self, target: Target) -> None:
        self.target = target
        #: Whether what answers there is known to be Corvo.
        self._is_corvo = False
        self._url = parse_address(target.server)
        _must_be_sendable("the API key", target.api_key)
        _must_be_sendable("the namespace", target.namespace)
        self._connection: http.client.HTTPConnection | None = None
        self._tls = context_of(target) if self._url.scheme == "https" else None

    @property
    def address(self) -> str:
        return f"{self._url.scheme}://{self._url.netloc}{self._url.path.rstrip('/')}"

    # Requests

    def get(self, path: str, **query: Any) -> Any:
        return self._repeat("GET", path, None, query, {})

    def ask(self, path: str, body: Any = None, **query: Any) -> Any:
        """A POST that changes nothing, such as a search."""
        return self._repeat("POST", path, body, query, {})

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        return self._write("POST", path, body, query)

    def put(self, path: str, body: Any) -> Any:
        return self._write("PUT", path, body, {})

    def delete(self, path: str, **query: Any) -> Any:
        return self._write("DELETE", path, None, query)

    def _write(self, method: str, path: str, body: Any, query: dict[str, Any]) -> Any:
        return self._repeat(method, path, body, query, {"Idempotency-Key": os.urandom(16).hex()})

    def _repeat(
        self, method: str, path: str, body: Any, query: dict[str, Any], headers: dict[str, str]
    ) -> Any:
        data = None if body is None else exact_json.encode(body)
        target = self._path(path, query)
        for left in reversed(range(_TRIES)):
            try:
                answer = self._once(method, target, data, headers)
            except ConnectionRefusedError as error:
                raise self._unreachable(error) from None
            except (http.client.HTTPException, ConnectionError) as error:
                # An idle connection may have been closed by the server meanwhile.
                if not left:
                    raise self._unreachable(error) from None
                continue
            except (OSError, UnicodeError) as error:
                # A name that cannot be a host's is a UnicodeError.
                raise self._unreachable(error) from None
            if answer.status < 300:
                return self._read(answer)
            if answer.status not in _SAFE_TO_REPEAT or not left:
                raise self._refusal(answer.status, answer.text)
            time.sleep(min(answer.pause_s, _PAUSE_S_MAX))
        raise AssertionError("the last try returns or raises")

    def _once(self, method: str, target: str, data: bytes | None, headers: dict[str, str]) -> _Answer:
        if self._connection is None:
            self._connection = self._connect(self.target.timeout_s)
        try:
            self._connection.request(method, target, data, self._headers() | headers)
            response = self._connection.getresponse()
            text = response.read()
        except (http.client.HTTPException, OSError):
            self.close()
            raise
        return _Answer(response.status, text, _pause_s(response), _is_marked(response))

    # Answers

    def _read(self, answer: _Answer) -> Any:
        """The body, if it is Corvo's. That of another API would end in a traceback, or in `no jobs`."""
        self._is_corvo = self._is_corvo or answer.is_marked or self._introduces_itself()
        body = _json(answer.text)
        if not self._is_corvo or (body is None and answer.text):
            raise self._stranger()
        return body

    def _introduces_itself(self) -> bool:
        """Asked of a server whose answer has no mark: a proxy may have removed it."""
        try:
            body = _json(self._once("GET", self._path("/api/v1/info", {}), None, {}).text)
        except (http.client.HTTPException, OSError) as error:
            raise self._unreachable(error) from None
        return isinstance(body, dict) and not body.keys().isdisjoint({"server_version", "code"})

    def _refusal(self, status: int, text: bytes) -> Problem:
        if status < 400:
            return Unreachable(
                f"{self.address} sends us elsewhere ({status})",
                "Give the address that it stands for: perhaps it is https.",
            )
        body = _json(text)
        if not isinstance(body, dict):
            body = {}
        if status in (404, 405) and "code" not in body:
            # Not Corvo's words: "no such job" would be a lie.
            return self._stranger()
        return ApiError(status, body)

    def _stranger(self) -> Unreachable:
        return Unreachable(
            f"the server at {self.address} does not look like Corvo",
            "--server or CORVO_URL says where Corvo is; a path before /api/v1 belongs to it.",
        )

    # Streams

    @contextmanager
    def stream(
        self, path: str, *, kind: str = "text/event-stream", silence_s: float = 60.0, **query: Any
    ) -> Iterator[http.client.HTTPResponse]:
        """An answer to be read line by line, on a connection of its own."""
        connection = self._connect(silence_s)
        target = self._path(path, query)
        try:
            try:
                connection.request("GET", target, headers=self._headers())
                response = connection.getresponse()
            except (http.client.HTTPException, OSError, UnicodeError) as error:
                raise self._unreachable(error) from None
            if response.status != 200:
                raise self._refusal(response.status, response.read())
            if response.headers.get_content_type() != kind:
                raise self._stranger()
            yield response
        finally:
            connection.close()

    # Plumbing

    def _connect(self, timeout_s: float) -> http.client.HTTPConnection:
        assert self._url.hostname is not None
        host, port = self._url.hostname, self._url.port
        if self._tls is not None:
            return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=timeout_s)

    def _path(self, path: str, query: dict[str, Any]) -> str:
        given = {name: value for name, value in query.items() if value is not None}
        return self._url.path.rstrip("/") + path + (f"?{urlencode(given)}" if given else "")

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "x-corvo-client-name": "corvo-cli",
            # A member that the server does not know is a mistake to hear of, not one to have ignored.
            "Prefer": "handling=strict",
        }
        if self.target.api_key:
            headers["X-API-Key"] = self.target.api_key
        if self.target.namespace:
            headers["X-Corvo-Namespace"] = self.target.namespace
        return headers

    def _unreachable(self, error: Exception) -> Unreachable:
        reason = "connection refused" if isinstance(error, ConnectionRefusedError) else error
        hint = hint_of(error) or (
            "Is it running? `corvo serve` starts a node; --server or CORVO_URL says where it is."
        )
        return Unreachable(f"no answer from {self.address}: {reason or type(error).__name__}", hint)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _must_be_sendable(what: str, text: str | None) -> None:
    """Raises Misused if it cannot be the value of a header."""
    if text and not (text.isprintable() and text.isascii()):
        raise Misused(f"{what} holds characters that cannot be sent")


def segment(text: str) -> str:
    """A name as a part of a path."""
    return quote(text, safe="")


def _json(text: bytes) -> Any:
    """The value of a JSON text; None if it is no JSON."""
    try:
        return exact_json.read(text)
    except ValueError:
        return None


def _is_marked(response: http.client.HTTPResponse) -> bool:
    return response.getheader("Server-Timing", "").startswith("proc;dur=")


def _pause_s(response: http.client.HTTPResponse) -> float:
    try:
        return max(0.0, float(response.getheader("Retry-After", "0.2")))
    except ValueError:
        return 0.2
