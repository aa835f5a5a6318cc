"""What Hypercorn reads in a way of its own, read as the other servers do.

- `Upgrade: h2c` is ignored. A proxy that does not know it takes what follows for one request, while the
  server takes it for many that the proxy has not seen. HTTP/2 begins with its own greeting, or by TLS.
- A method stays as it was written. `get` is not `GET`: Hypercorn makes capital letters of it, others do not.
"""

from typing import Any

import h2.events
import h11
from hypercorn.protocol.h2 import H2Protocol
from hypercorn.protocol.h11 import H2ProtocolAssumedError, H11Protocol

_create_h11 = H11Protocol._create_stream
_create_h2 = H2Protocol._create_stream


class _Method(str):
    __slots__ = ()

    def upper(self) -> str:
        return str(self)


class _MethodBytes(bytes):
    """Decoded and made upper case by Hypercorn, it is what it was."""

    def decode(self, encoding: str = "ascii", errors: str = "strict") -> str:
        return _Method(super().decode(encoding, errors))


async def _check_greeting(self: H11Protocol, event: h11.Request) -> None:
    if event.method == b"PRI" and event.target == b"*" and event.http_version == b"2.0":
        raise H2ProtocolAssumedError(b"PRI * HTTP/2.0\r\n\r\n" + self.connection.trailing_data[0])


async def create_as_written(self: H11Protocol, request: h11.Request) -> None:
    if not request.method.isupper():
        # A request cannot be changed by assignment, and making another would judge it again.
        object.__setattr__(request, "method", _MethodBytes(request.method))
    await _create_h11(self, request)


async def _create_h2_stream(self: H2Protocol, request: h2.events.RequestReceived) -> None:
    request.headers = [_as_written(*field) for field in request.headers]
    await _create_h2(self, request)


def _as_written(name: Any, value: Any) -> tuple[Any, Any]:
    return name, _MethodBytes(value) if name == b":method" and not value.isupper() else value


def install() -> None:
    assert hasattr(H11Protocol, "_check_protocol"), "Hypercorn has changed: look for how it upgrades now"
    assert hasattr(H2Protocol, "_create_stream"), "Hypercorn has changed: H2Protocol has no _create_stream"
    H11Protocol._check_protocol = _check_greeting  # type: ignore[method-assign]  # the purpose of this module
    H2Protocol._create_stream = _create_h2_stream  # type: ignore[method-assign]  # likewise
