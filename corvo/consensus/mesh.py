"""The node link: one connection to every other member, kept up for as long as the node lives.

    outbox -> [mesh] -> connection ~~~ connection -> [mesh] -> driver

Of two members the one with the greater id dials. A connection that has been silent for too long is given
up, because TCP alone may take minutes to notice; idle ones are kept alive by pings.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

import structlog

from corvo.consensus import wire
from corvo.consensus.connection import BUFFER_BYTES_SOFT, PING, Connection
from corvo.consensus.hello import Hello
from corvo.consensus.link import Message, Receiver
from corvo.consensus.settings import RaftSettings

log = structlog.get_logger()

#: Connections that have not greeted yet. A flood of strangers must not use up the node's descriptors.
STRANGERS_MAX: Final = 32


class Mesh:
    def __init__(self, settings: RaftSettings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._timing = settings.timing
        self._now = now
        self.tls = settings.tls
        self.hello = Hello(settings.node_id, settings.cluster_id)
        self._receiver: Receiver | None = None
        self._members: dict[str, Connection] = {}
        self._strangers: dict[Connection, float] = {}
        self._dialling: dict[str, asyncio.Task[None]] = {}
        self._server: asyncio.Server | None = None
        self._upkeep: asyncio.Task[None] | None = None
        self._all_closed: asyncio.Event | None = None

    async def start(self, receiver: Receiver) -> None:
        """Listen, and begin to dial. Raises OSError if the address cannot be had."""
        self._receiver = receiver
        loop = asyncio.get_running_loop()
        assert self._settings.bind is not None
        host, port = _split(self._settings.bind)
        self._server = await loop.create_server(self._accept, host, port)
        self._upkeep = loop.create_task(self._keep_up())
        for peer in self._settings.peers:
            if self._settings.node_id > peer:
                self._dialling[peer] = loop.create_task(self._dial_for_ever(peer))

    async def stop(self) -> None:
        self._receiver = None
        if self._server is not None:
            self._server.close()
        tasks = [*self._dialling.values(), *([self._upkeep] if self._upkeep else [])]
        for task in tasks:
            task.cancel()
        # This also gives who was accepted a moment ago the turn to become a connection that can be closed.
        await asyncio.gather(*tasks, return_exceptions=True)
        for connection in (*self._members.values(), *self._strangers):
            connection.abort("this node stops")
        if self._members or self._strangers:
            self._all_closed = asyncio.Event()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._timing.hello_s):
                    await self._all_closed.wait()

    @property
    def port(self) -> int:
        """The port in use, for whoever asked for port 0."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def resume(self) -> None:
        """The driver has room again."""
        for connection in self._members.values():
            connection.resume()

    # Link

    def send(self, peer: str, message: Message) -> bool:
        connection = self._members.get(peer)
        return connection is not None and connection.send(wire.encode(message))

    def has_room(self, peer: str) -> bool:
        connection = self._members.get(peer)
        return connection is not None and connection.bytes_waiting < BUFFER_BYTES_SOFT

    # Owner

    def expects(self, connection: Connection, node_id: str) -> bool:
        if connection.dialled is not None:
            return node_id == connection.dialled
        return node_id in self._settings.peers and node_id > self._settings.node_id

    def greeted(self, connection: Connection) -> None:
        peer = connection.peer
        assert peer is not None
        self._strangers.pop(connection, None)
        before = self._members.get(peer)
        if before is not None:
            # The peer would not dial again if it still had the old one.
            self._forget(before)
            before.abort("it has dialled again")
        self._members[peer] = connection
        log.info("link.connected", peer=peer)
        if self._receiver is not None:
            self._receiver.peer_connected(peer)

    def received(self, connection: Connection, message: Message, size: int) -> bool:
        if self._receiver is None or self._members.get(connection.peer or "") is not connection:
            return True
        assert connection.peer is not None
        return self._receiver.message_received(connection.peer, message, size)

    def closed(self, connection: Connection) -> None:
        self._strangers.pop(connection, None)
        self._forget(connection)
        if self._all_closed is not None and not self._members and not self._strangers:
            self._all_closed.set()

    def _forget(self, connection: Connection) -> None:
        peer = connection.peer
        if peer is not None and self._members.get(peer) is connection:
            del self._members[peer]
            log.info("link.disconnected", peer=peer)
            if self._receiver is not None:
                self._receiver.peer_disconnected(peer)

    # Connecting

    def _accept(self) -> asyncio.BaseProtocol:
        connection = Connection(self, self._now, dialled=None)
        if len(self._strangers) >= STRANGERS_MAX:
            return _Refusal()
        self._strangers[connection] = self._now()
        return connection

    async def _dial_for_ever(self, peer: str) -> None:
        while True:
            if peer not in self._members and not any(c.dialled == peer for c in self._strangers):
                await self._dial(peer)
            await asyncio.sleep(self._timing.connect_retry_s)

    async def _dial(self, peer: str) -> None:
        host, port = _split(self._settings.peers[peer])
        connection = Connection(self, self._now, dialled=peer)
        self._strangers[connection] = self._now()
        try:
            async with asyncio.timeout(self._timing.hello_s):
                await asyncio.get_running_loop().create_connection(lambda: connection, host, port)
        except OSError as error:  # A TimeoutError is one too.
            log.debug("link.not_connected", peer=peer, reason=str(error))
        finally:
            if not connection.is_open:
                self._strangers.pop(connection, None)

    async def _keep_up(self) -> None:
        """Now and then: ping where nothing was said, and give up on those who say nothing."""
        while True:
            await asyncio.sleep(self._timing.silence_s / 4)
            now = self._now()
            for connection in list(self._members.values()):
                if now - connection.last_heard_s > self._timing.silence_s and not connection.is_paused:
                    connection.abort("it has gone silent")
                elif now - connection.last_said_s > self._timing.silence_s / 4:
                    connection.send(PING)
            for connection, since in list(self._strangers.items()):
                if now - since > self._timing.hello_s:
                    connection.abort("it does not greet")


class _Refusal(asyncio.Protocol):
    """Closes the connection at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)
