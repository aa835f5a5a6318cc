"""Where requests go, worked out once: what is the same for all of them should cost nothing with each."""

import ssl
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from corvo_sdk import http1
from corvo_sdk.call import Call
from corvo_sdk.settings import Settings
from corvo_sdk.tls import context_of

_CONNECT_S_MAX = 5.0
#: How long a connection is kept that nobody uses. Some servers close theirs after five seconds, and who asks
#: at that moment does not hear whether it was done.
IDLE_S_MAX = 4.0
#: May stand in a path as they are.
_PATH_SAFE = "/%:@!$&'()*+,;=~"


class Origin:
    """A server's address, the headers it is always sent, and how it is trusted."""

    def __init__(self, settings: Settings) -> None:
        url = urlsplit(settings.url)
        assert url.hostname is not None, "settings take no address without a host"
        #: For messages.
        self.url = settings.url
        self.host = _ascii(url.hostname)
        self.port = url.port or (443 if url.scheme == "https" else 80)
        # Loading certificates takes a tenth of a second, for which a plain connection has no use.
        self._tls = context_of(settings) if url.scheme == "https" else None
        self.timeout_s = settings.timeout_s
        self.connect_s = min(settings.timeout_s, _CONNECT_S_MAX)
        self._prefix = quote(url.path, safe=_PATH_SAFE)
        named = {name.lower(): value for name, value in settings.headers.items()}
        self._headers = http1.headers({"host": self._name(url.port)} | named)

    def tls(self) -> ssl.SSLContext | None:
        """For the next handshake. Set up each time: a context that somebody gave us may be in use elsewhere,
        by a worker whose streams speak HTTP/2."""
        if self._tls is not None:
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls

    def _name(self, port: int | None) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if port is None else f"{host}:{port}"

    def request_of(self, call: Call[Any], body: bytes, headers: dict[str, str]) -> bytes:
        """What is sent for a call."""
        target = self._prefix + call.path
        if call.query:
            target += "?" + urlencode(call.query, quote_via=quote)
        return http1.request(call.method, target, self._headers + http1.headers(headers), body)

    def read_s(self, call: Call[Any]) -> float:
        """How long the server may be silent."""
        return self.timeout_s + call.wait_s


def _ascii(host: str) -> str:
    return host if host.isascii() else host.encode("idna").decode()
