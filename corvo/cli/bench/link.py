"""A connection to the server, whatever it speaks: requests one by one, or one request that does not end."""

import ssl
from collections.abc import Callable
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

from corvo.cli.problems import Misused
from corvo.cli.request.client import Target
from corvo.cli.request.trust import context_of

#: Takes bytes of an answer as they come.
Hear = Callable[[bytes], None]


class BenchLink(Protocol):
    #: Whether a request may be sent before the last one is answered.
    pipelines: bool

    async def ask(self, path: bytes, body: bytes) -> tuple[int, bytes]:
        """POST and wait: status and body of the answer."""

    def open(self, path: bytes, hear: Hear, broken: Callable[[str], None]) -> Callable[[bytes], None]:
        """POST a body that does not end. The function returned sends more of it."""

    def close(self) -> None:
        """Close the connection."""


class BenchAddress:
    """Where the server is and what every request to it says."""

    def __init__(self, target: Target) -> None:
        text = target.server if "//" in target.server else f"http://{target.server}"
        self._target = target
        self.url: SplitResult = urlsplit(text)
        if self.url.hostname is None:
            raise Misused(f"{target.server!r} is not the address of a server", "Write http://HOST:PORT.")
        self.host: str = self.url.hostname
        self.is_tls = self.url.scheme == "https"
        self.port = self.url.port or (443 if self.is_tls else 80)
        self.authority = self.url.netloc.rpartition("@")[2].encode()
        self.prefix = self.url.path.rstrip("/").encode()
        self.headers: list[tuple[bytes, bytes]] = [
            (b"content-type", b"application/json"),
            (b"x-corvo-client-name", b"corvo-bench"),
        ]
        if target.api_key:
            self.headers.append((b"x-api-key", target.api_key.encode()))
        if target.namespace:
            self.headers.append((b"x-corvo-namespace", target.namespace.encode()))

    def tls(self, protocol: str) -> ssl.SSLContext | None:
        if not self.is_tls:
            return None
        context = context_of(self._target)
        context.set_alpn_protocols([protocol])
        return context
