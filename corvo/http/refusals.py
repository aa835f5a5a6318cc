"""What is not even HTTP is refused in JSON, too.

Hypercorn answers a head that is broken or too large before any application sees it, with an empty body.
There is no hook for it, so the one method that writes those answers is replaced.
"""

import h11
import msgspec
from hypercorn.protocol.h11 import H11Protocol

from corvo.core.errors import CorvoError, HeadersTooLarge, ParseError

_KNOWN: dict[int, tuple[type[CorvoError], str]] = {
    431: (HeadersTooLarge, "the request head is too large"),
}
_OTHERWISE = (ParseError, "this is not a request that HTTP/1.1 allows")


async def _refuse(self: H11Protocol, status_code: int) -> None:
    error, text = _KNOWN.get(status_code, _OTHERWISE)
    body = msgspec.json.encode({"error": text, "code": error.code, "hint": error.hint(), "request_id": ""})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
        *self.config.response_headers("h11"),
    ]
    await self._send_h11_event(h11.Response(status_code=error.status, headers=headers))
    await self._send_h11_event(h11.Data(data=body))
    await self._send_h11_event(h11.EndOfMessage())


def install() -> None:
    assert hasattr(H11Protocol, "_send_error_response"), "Hypercorn has changed: look for how it refuses now"
    H11Protocol._send_error_response = _refuse  # type: ignore[method-assign]  # the purpose of this module
