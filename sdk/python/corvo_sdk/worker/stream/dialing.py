"""Reaching the server for a stream: which HTTP is spoken, and how that is found out.

Over TLS both sides say what they speak before anything else (ALPN). In the clear there is no asking:
HTTP/1.1, unless somebody knows better (`http2=True`); and where that turns out wrong, HTTP/1.1 all the same.
"""

import asyncio
import ssl
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from corvo_sdk.settings import Settings
from corvo_sdk.tls import context_of
from corvo_sdk.worker.stream.carrier import Carrier
from corvo_sdk.worker.stream.http1 import Http1

_HEAD_BYTES_MAX = 64 * 1024


def speaks_http2() -> bool:
    """Whether the package is here that it takes."""
    return find_spec("h2") is not None


class Dialing:
    """`http2`: True for yes where it is possible, False for never, None for what ALPN comes to."""

    def __init__(self, settings: Settings, http2: bool | None = None) -> None:
        if http2 and not speaks_http2():
            raise ImportError("http2=True needs the package h2: pip install 'corvo-sdk[http2]'")
        self._settings = settings
        self._http2 = speaks_http2() if http2 is None else http2
        self._knows_better = bool(http2)
        #: Made when it is needed: that takes a moment.
        self._context: ssl.SSLContext | None = None

    def gave_up_http2(self) -> bool:
        """It was not understood. True if there is another way to speak."""
        was, self._http2 = self._http2, False
        return was

    async def reach(self) -> Carrier:
        """Raises OSError."""
        url = urlsplit(self._settings.url)
        tls = self._tls() if url.scheme == "https" else None
        port = url.port or (443 if tls else 80)
        reader, writer = await asyncio.open_connection(url.hostname, port, ssl=tls, limit=_HEAD_BYTES_MAX)
        host = url.netloc.rpartition("@")[2]
        if self._is_http2(writer, tls):
            from corvo_sdk.worker.stream.http2 import Http2  # noqa: PLC0415 - h2 need not be installed

            return Http2(reader, writer, host, url.scheme)
        return Http1(reader, writer, host)

    def _is_http2(self, writer: asyncio.StreamWriter, tls: ssl.SSLContext | None) -> bool:
        if tls is None:
            return self._http2 and self._knows_better
        shaken: Any = writer.get_extra_info("ssl_object")
        return self._http2 and shaken.selected_alpn_protocol() == "h2"

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = context_of(self._settings)
        # A context that somebody gave us may be in use elsewhere, by those who do not speak HTTP/2.
        if self._context is not self._settings.verify or self._knows_better:
            self._context.set_alpn_protocols(["h2", "http/1.1"] if self._http2 else ["http/1.1"])
        return self._context
