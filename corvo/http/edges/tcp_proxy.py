"""TCP proxy: passes connections on, byte by byte, to a server that listens elsewhere in this process.

    client <-> [tcp proxy] <-> the server's own port on the loopback

That server accepts connections by itself and cannot be handed one. It sees each as coming from here, so the
client at the other end is looked up by the address that the proxy's connection came from.
"""

import asyncio
import os
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, NamedTuple, cast

from corvo.http.wire.tls import certificate_name, unsent_bytes

#: A server that has said nothing for so long has said all it was given.
_QUIET_S: Final = 0.05
#: How long one that goes on speaking is listened to, and how long connections have to be closed then.
_CLOSING_S: Final = 0.5
_READ_BYTES: Final = 65_536
#: How long a client that has its last answer may take to notice.
_LINGER_S: Final = 2.0

#: Host and port.
HostPort = tuple[str, int]


class ProxiedClient(NamedTuple):
    """Who is at the other end, as the server behind the proxy cannot know."""

    peer: str
    certificate: str = ""


class TcpProxy:
    def __init__(self, host: str, port: int, idle_s: float) -> None:
        """A client that takes nothing of its last answer for `idle_s` is given up."""
        self._address = host, port
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        #: By their addresses, as long as those are in use.
        self._servers: dict[HostPort, _ServerEnd] = {}
        #: Everything is answered, so no client is still sending.
        self._is_closing = False

    def client_of(self, address: HostPort) -> ProxiedClient | None:
        """The client behind the proxy's connection that comes from this address, if there is one."""
        server = self._servers.get(address)
        return None if server is None else server.client

    def take(self, transport: asyncio.Transport, unread: bytes, peer: str) -> Coroutine[Any, Any, None]:
        client = _ClientEnd(self._loop)
        client.connection_made(transport)
        # The server's end is not there yet to take it.
        transport.pause_reading()
        transport.set_protocol(client)
        return self._pass(client, unread, ProxiedClient(peer, certificate_name(transport)))

    # Passing

    async def _pass(self, client: "_ClientEnd", unread: bytes, known_as: ProxiedClient) -> None:
        server = _ServerEnd(self._loop, known_as, self._servers)
        try:
            await self._loop.create_connection(lambda: server, *self._address)
        except OSError:
            # The server has stopped.
            client.transport.abort()
            return
        try:
            client.other, server.other = server, client
            client.go_on()
            # Not before that: if it is more than the server takes, the client has to wait.
            server.transport.write(unread)
            await asyncio.wait({client.lost, server.lost}, return_when=asyncio.FIRST_COMPLETED)
            if server.lost.done():
                await self._see_off(client)
        finally:
            for end in (client, server):
                end.transport.abort()

    async def _see_off(self, client: "_ClientEnd") -> None:
        """Let the client have all of its last answer. It may still be sending: if the connection were closed
        then, it would get an error instead of the answer. So it is listened to until it has noticed."""
        if client.has_finished or self._is_closing:
            client.transport.close()
        else:
            client.go_on()
            client.write_eof()
        while not client.lost.done():
            unsent = unsent_bytes(client.transport)
            await asyncio.wait({client.lost}, timeout=self._idle_s if unsent else _LINGER_S)
            if unsent_bytes(client.transport) == unsent:
                break
        if not (client.lost.done() or client.transport.can_write_eof()):
            # TLS has no end of one direction. Now that the client is heard no more, both are ended properly.
            client.transport.close()
            await asyncio.wait({client.lost}, timeout=_LINGER_S)

    # Stopping

    async def drain(self) -> None:
        """Bytes do not tell whether a request is under way; `close` is called when there are none."""

    async def close(self, patience_s: float) -> None:
        """The server was given all its answers. When it has written them it is told that nothing more will
        come, closes its ends, and that closes ours. Clients have `patience_s` to read what it has said."""
        over = self._loop.time() + max(patience_s, _CLOSING_S)
        await self._until_quiet(over)
        self._is_closing = True
        servers = list(self._servers.values())
        for server in servers:
            server.write_eof()
        if servers:
            left_s = max(over - self._loop.time(), _CLOSING_S)
            await asyncio.wait({server.lost for server in servers}, timeout=left_s)
        for server in servers:
            server.transport.abort()

    async def _until_quiet(self, over: float) -> None:
        said = -1
        # Some connections never are: an HTTP/2 client goes on asking.
        looks_left = round(_CLOSING_S / _QUIET_S)
        while looks_left > 0 and self._loop.time() < over:
            before, said = said, sum(server.pieces for server in self._servers.values())
            if not any(server.is_ahead for server in self._servers.values()):
                if said == before:
                    return
                looks_left -= 1
            await asyncio.sleep(_QUIET_S)


class _End(asyncio.Protocol):
    """One end of a proxied connection. What comes in here goes out at the other, as long as that is there."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.transport: asyncio.Transport
        self.other: _End | None = None
        #: How many pieces have come in here.
        self.pieces = 0
        self.lost: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, because uvloop has transports of its own.
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self.pieces += 1
        if self.other is not None:
            self.other.transport.write(data)

    def write_eof(self) -> None:
        if not self.transport.is_closing() and self.transport.can_write_eof():
            with suppress(OSError):
                self.transport.write_eof()

    def pause_writing(self) -> None:
        """An end that reads slowly is not sent more."""
        if self.other is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None:
            self.other.go_on()

    def go_on(self) -> None:
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():
            self.lost.set_result(None)
        if self.other is not None:
            self.other.other = None


class _ClientEnd(_End):
    #: Whether the client has said all it wanted to.
    has_finished = False

    def eof_received(self) -> bool:
        """The client may still want to hear the answer. A server that says no more is done, so there the
        connection ends with that."""
        self.has_finished = True
        if self.other is None:
            return False
        self.other.write_eof()
        # Over TLS nobody can finish and still listen.
        return self.transport.can_write_eof()


class _ServerEnd(_End):
    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        client: ProxiedClient,
        known: "dict[HostPort, _ServerEnd]",
    ) -> None:
        super().__init__(loop)
        self.client = client
        self._known = known
        self._address: HostPort

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._address = transport.get_extra_info("sockname")
        self._known[self._address] = self

    @property
    def is_ahead(self) -> bool:
        """Whether it has said more than its client has taken."""
        return self.other is not None and unsent_bytes(self.other.transport) > 0

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None and self.other is not None:
            # The server closed while we were sending, as it does if a request is too large. The loop sees
            # only that sending failed; what the server said before that lies there unread.
            descriptor = self.transport.get_extra_info("socket").fileno()
            with suppress(OSError):
                while data := os.read(descriptor, _READ_BYTES):
                    self.other.transport.write(data)
        # From now on the address may be another connection's, even if this client is not through yet.
        del self._known[self._address]
        super().connection_lost(exc)
