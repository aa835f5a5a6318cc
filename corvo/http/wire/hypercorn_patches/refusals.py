"""Refusals of what is not even HTTP: with a JSON body, like all others.

Hypercorn answers a head that is broken or too large before any application sees it, with an empty body.
There is no hook for it, so the one method that writes those answers is replaced.

And one head more is refused than Hypercorn would: that which says in two ways how long its body is. A proxy
that passed it on may have believed the other one, and take the rest of the body for another client's request.
"""

import h11
import msgspec
from hypercorn.events import Closed
from hypercorn.protocol.h11 import H11Protocol

from corvo.core.errors import CorvoError, HeadersTooLarge, ParseError
from corvo.http.wire.hypercorn_patches.alike import create_as_written

_KNOWN: dict[int, tuple[type[CorvoError], str]] = {
    431: (HeadersTooLarge, "the request head is too large"),
}
_OTHERWISE = (ParseError, "this is not a request that HTTP/1.1 allows")


_TWO_LENGTHS = {b"content-length", b"transfer-encoding"}


async def _create_unless_ambiguous(self: H11Protocol, request: h11.Request) -> None:
    if {name for name, _ in request.headers} >= _TWO_LENGTHS:
        await _refuse(self, 400)
        await self.send(Closed())
    else:
        await create_as_written(self, request)


async def _refuse(self: H11Protocol, status_code: int) -> None:
    error, text = _KNOWN.get(status_code, _OTHERWISE)
    body = msgspec.json.encode({"error": text, "code": error.code, "hint": error.hint(), "request_id": ""})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
        (b"x-content-type-options", b"nosniff"),
        *self.config.response_headers("h11"),
    ]
    await self._send_h11_event(h11.Response(status_code=error.status, headers=headers))
    await self._send_h11_event(h11.Data(data=body))
    await self._send_h11_event(h11.EndOfMessage())


def install() -> None:
    assert hasattr(H11Protocol, "_send_error_response"), "Hypercorn has changed: look for how it refuses now"
    H11Protocol._send_error_response = _refuse  # type: ignore[method-assign]  # the purpose of this module
    H11Protocol._create_stream = _create_unless_ambiguous  # type: ignore[method-assign]  # likewise
