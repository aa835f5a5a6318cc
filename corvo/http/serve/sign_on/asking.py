"""Asking a provider: one small HTTP/1.1 request on a connection of its own, with a deadline and a limit.

Redirects are not followed: the addresses come from the provider's own description.
"""

import asyncio
import ssl
from typing import Any, Final
from urllib.parse import urlsplit

import h11
import msgspec

from corvo.core.errors import SignOnFailed
from corvo.core.hosts import is_loopback

_TIMEOUT_S: Final = 10.0
_ANSWER_BYTES_MAX: Final = 1024 * 1024
_PIECE_BYTES: Final = 65_536


def check_address(url: str) -> None:
    """Raises ValueError if nobody should be asked there: what is said about people must not be overheard."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise ValueError("is not an address that begins with https://")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ValueError("has to begin with https://; http is for loopback only")
    _ = parts.port


async def ask(url: str, form: bytes | None = None, authorization: str | None = None) -> dict[str, Any]:
    """The JSON object at this address; with a form, the answer to it. Raises SignOnFailed."""
    try:
        check_address(url)
        async with asyncio.timeout(_TIMEOUT_S):
            status, body = await _exchange(url, form, authorization)
        answer = msgspec.json.decode(body, type=dict[str, Any])
    except TimeoutError:
        raise SignOnFailed(f"{_shown(url)} did not answer within {_TIMEOUT_S:.0f} s") from None
    except (OSError, ssl.SSLError, h11.ProtocolError, ValueError, msgspec.DecodeError) as error:
        raise SignOnFailed(f"{_shown(url)}: {error}") from None
    if status != 200:
        why = answer.get("error")
        raise SignOnFailed(f"{_shown(url)} answered {status}: {str(why)[:100]}")
    return answer


async def _exchange(url: str, form: bytes | None, authorization: str | None) -> tuple[int, bytes]:
    parts = urlsplit(url)
    assert parts.hostname is not None
    is_tls = parts.scheme == "https"
    reader, writer = await asyncio.open_connection(
        parts.hostname,
        parts.port or (443 if is_tls else 80),
        ssl=ssl.create_default_context() if is_tls else None,
    )
    try:
        writer.write(_request(parts.path or "/", parts.query, parts.netloc, form, authorization))
        return await _answer(reader)
    finally:
        writer.close()


def _request(path: str, query: str, host: str, form: bytes | None, authorization: str | None) -> bytes:
    fields = [("Host", host), ("Accept", "application/json"), ("Connection", "close")]
    if authorization is not None:
        fields.append(("Authorization", authorization))
    if form is not None:
        fields += [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Content-Length", str(len(form))),
        ]
    target = f"{path}?{query}" if query else path
    speaking = h11.Connection(h11.CLIENT)
    head = h11.Request(method="GET" if form is None else "POST", target=target, headers=fields)
    pieces = [speaking.send(head) or b""]
    if form is not None:
        pieces.append(speaking.send(h11.Data(data=form)) or b"")
    return b"".join(pieces)


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    hearing = h11.Connection(h11.CLIENT)
    # Only to have it expect an answer: what was sent, was sent by another one.
    hearing.send(h11.Request(method="POST", target="/", headers=[("Host", "x"), ("Content-Length", "0")]))
    hearing.send(h11.EndOfMessage())
    status, body = 0, bytearray()
    while True:
        event = hearing.next_event()
        if event is h11.NEED_DATA:
            hearing.receive_data(await reader.read(_PIECE_BYTES))
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > _ANSWER_BYTES_MAX:
                raise ValueError(f"the answer has more than {_ANSWER_BYTES_MAX} bytes")
        elif isinstance(event, h11.EndOfMessage):
            return status, bytes(body)
        elif isinstance(event, h11.ConnectionClosed):
            raise ValueError("hung up before it had answered")


def _shown(url: str) -> str:
    return url.partition("?")[0][:200]
