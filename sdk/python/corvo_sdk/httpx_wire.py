"""The same for httpx2, which carries what is no ordinary call. See aio/detour.py."""

import ssl
from typing import Any

import httpx2

from corvo_sdk.call import Call
from corvo_sdk.errors import CorvoError
from corvo_sdk.settings import Settings
from corvo_sdk.wire import lost, unreachable

#: Failures before anything was sent.
_NOTHING_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


def transport_arguments(settings: Settings, tls: ssl.SSLContext | None) -> dict[str, Any]:
    most = settings.connections
    return {
        "verify": tls or False,
        "proxy": settings.proxy,
        "limits": httpx2.Limits(max_connections=most, max_keepalive_connections=most),
    }


def request_of(call: Call[Any], body: bytes, headers: dict[str, str], settings: Settings) -> httpx2.Request:
    return httpx2.Request(
        call.method,
        settings.url + call.path,
        params=call.query or None,
        headers=settings.headers | headers,
        content=body,
        extensions={"timeout": _timeout_of(call, settings).as_dict()},
    )


def _timeout_of(call: Call[Any], settings: Settings) -> httpx2.Timeout:
    return httpx2.Timeout(
        settings.timeout_s,
        read=call.silence_s or settings.timeout_s + call.wait_s,
        connect=min(settings.timeout_s, 5.0),
    )


def failure_of(error: httpx2.TransportError, settings: Settings) -> CorvoError:
    """A request without an answer."""
    nothing_sent = isinstance(error, _NOTHING_SENT)
    return unreachable(settings.url, error) if nothing_sent else lost(settings.url, error)
