"""Between the HTTP library and the rest: what goes out with a call, and what an answer or a failure means."""

import uuid
from typing import Any, TypeVar, cast

import httpx2
import msgspec

from corvo_client import errors
from corvo_client.call import Again, Call, decode
from corvo_client.errors import AnswerLost, CorvoError, Unreachable
from corvo_client.settings import Settings

T = TypeVar("T")

#: Failures before anything was sent.
_NOTHING_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


def transport_arguments(settings: Settings) -> dict[str, Any]:
    most = settings.connections
    return {
        # Loading certificates takes a tenth of a second, for which a plain connection has no use.
        "verify": settings.verify if settings.url.startswith("https:") else False,
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
        extensions={"timeout": timeout_of(call, settings).as_dict()},
    )


def headers_of(call: Call[Any]) -> dict[str, str]:
    """The same for every sending of a call: that is what makes the key worth something."""
    if call.again is not Again.KEYED:
        return {}
    return {"idempotency-key": call.key or uuid.uuid4().hex}


def timeout_of(call: Call[Any], settings: Settings) -> httpx2.Timeout:
    return httpx2.Timeout(
        settings.timeout_s,
        read=call.silence_s or settings.timeout_s + call.wait_s,
        connect=min(settings.timeout_s, 5.0),
    )


def answer_of(call: Call[T], status: int, body: bytes) -> T:
    """What the server said, or the error that it stands for."""
    if 200 <= status < 300:
        if call.returns is bytes:
            return cast("T", body)
        try:
            return decode(body, call.returns)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise CorvoError(f"cannot read the answer to {call.method} {call.path}: {error}") from error
    raise error_of(status, body)


def error_of(status: int, body: bytes) -> CorvoError:
    try:
        facts = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.MsgspecError:
        facts = {"error": f"the server answered {status}: {body[:200].decode(errors='replace')}"}
    return errors.of(status, facts)


def failure_of(error: httpx2.TransportError, settings: Settings) -> CorvoError:
    """A request without an answer."""
    said = str(error) or type(error).__name__
    if isinstance(error, _NOTHING_SENT):
        return Unreachable(f"cannot reach {settings.url}: {said}")
    return AnswerLost(f"no answer from {settings.url}: {said}")
