"""Mesh, the node link: one connection to every other member, kept up for as long as the node lives.

    outbox ---------> [mesh] -> connection ~~~ connection -> [mesh] -> driver
    leader forwarder ---^                                      `-----> node inbox

Of two members the one with the greater id dials; if nothing comes of it, so does the other, because only one
of them may know that they are members. A connection that has been silent for too long is given up, because
TCP alone may take minutes to notice; idle ones are kept alive by pings.

A node that proves to be of this cluster is let in, also if this node has not heard of it: it may be a leader
of later times. What it may do is for the engine to say. But nobody is let in under the name of a member whose
key is in the roster without that key.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import structlog

from corvo.consensus.link import codec
from corvo.consensus.link.connection import BUFFER_BYTES_SOFT, MAIL_BYTES_SOFT, PING, Connection
from corvo.consensus.link.hello import Hello
from corvo.consensus.link.mail import PeerMail
from corvo.consensus.link.manner import Manner
from corvo.consensus.link.protocol import PeerMessage, Receiver
from corvo.consensus.settings import RaftSettings

log = structlog.get_logger()

#: Connections that have not greeted yet. A flood of strangers must not use up the node's descriptors.
STRANGERS_MAX: Final = 32
#: Connections that have greeted. More members than a cluster may have are no members.
PEERS_MAX: Final = 64
#: The side that should be dialled waits so many times longer before it dials itself.
_PATIENCE: Final = 6


class MailReceiver(Protocol):
    """Takes the mail that arrives, and is told when a link goes up or down."""

    def mail_received(self, peer: str, node_message: bytes) -> None: ...

    def visitor_asks(
        self, visitor: str, key: str, node_message: bytes, answer: Callable[[bytes], None]
    ) -> None:
        """A node that is no member, and has proven to have this key, has a question. The answer ends its
        visit."""
        ...

    def link_changed(self, peer: str, *, is_up: bool) -> None: ...


class Mesh:
    def __init__(self, settings: RaftSettings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._timing = settings.timing
        self._now = now
        self.tls = settings.tls
        self.link_keys = settings.link_keys
        self.identity = settings.identity
        self.hello = Hello(settings.node_id, settings.cluster_id)
        #: Where mail goes; set before the start.
        self.mail_receiver: MailReceiver | None = None
        self._receiver: Receiver | None = None
        self._addresses: dict[str, str] = dict(settings.peers)
        #: Of the members whose key is in the roster.
        self._recorded_keys: dict[str, str] = {}
        #: Of those members: the wrong key that was shown last, and told.
        self._told_keys: dict[str, str] = {}
        self._manners: dict[str, Manner] = {}
        self._members: dict[str, Connection] = {}
        self._mailbags: dict[Connection, PeerMail] = {}
        self._strangers: dict[Connection, float] = {}
        self._dialling: dict[str, asyncio.Task[None]] = {}
        self._server: asyncio.Server | None = None
        self._upkeep: asyncio.Task[None] | None = None
        self._all_closed: asyncio.Event | None = None

    # Life

    async def listen(self) -> None:
        """Take the address. Raises OSError if it cannot be had."""
        assert self._settings.bind is not None
        loop, listener = asyncio.get_running_loop(), self._settings.listener
        if listener is not None:
            self._server = await loop.create_server(self._accept, sock=listener, start_serving=False)
        else:
            host, port = split(self._settings.bind)
            self._server = await loop.create_server(self._accept, host, port, start_serving=False)

    async def start(self, receiver: Receiver) -> None:
        """Accept connections, and begin to dial."""
        self._receiver = receiver
        if self._server is None:
            await self.listen()
        assert self._server is not None
        await self._server.start_serving()
        self._upkeep = asyncio.get_running_loop().create_task(self._keep_up())
        self._dial_members()

    async def stop(self) -> None:
        self._receiver = None
        if self._server is not None:
            self._server.close()
        tasks = [*self._dialling.values(), *([self._upkeep] if self._upkeep else [])]
        for task in tasks:
            task.cancel()
        # This also lets what was accepted a moment ago become a connection that can be closed.
        await asyncio.gather(*tasks, return_exceptions=True)
        for connection in self._connections():
            connection.abort("this node stops")
        if self._connections():
            self._all_closed = asyncio.Event()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._timing.hello_s):
                    await self._all_closed.wait()

    @property
    def port(self) -> int:
        """The port in use, for a caller that asked for port 0."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def resume(self) -> None:
        """The driver has room again."""
        for connection in list(self._members.values()):
            connection.resume()

    # Link

    def send(self, peer: str, message: PeerMessage) -> bool:
        connection = self._members.get(peer)
        return connection is not None and connection.send(codec.encode(message))

    def has_room(self, peer: str) -> bool:
        connection = self._members.get(peer)
        return connection is not None and connection.bytes_waiting < BUFFER_BYTES_SOFT

    def set_peers(self, addresses: Mapping[str, str], keys: Mapping[str, str]) -> None:
        self._addresses = dict(addresses)
        self._recorded_keys = {peer: key for peer, key in keys.items() if key}
        self._told_keys.clear()
        for peer, connection in list(self._members.items()):
            if not self._is_itself(peer, connection.proven_key):
                connection.abort("its key is not, or no longer, the one in the roster")
        if self._receiver is not None:
            self._dial_members()

    def is_member(self, peer: str) -> bool:
        return peer in self._addresses

    def proven_keys(self) -> dict[str, str]:
        return {peer: each.proven_key for peer, each in self._members.items() if each.proven_key}

    # Mail

    def post(self, peer: str, node_message: bytes) -> bool:
        """Send a node message. False if the peer is not connected; else it arrives or the link goes down."""
        connection = self._members.get(peer)
        if connection is None:
            return False
        self._mailbags[connection].put(node_message)
        self._send_mail(connection)
        return True

    def has_room_again(self, connection: Connection) -> None:
        if connection in self._mailbags:
            self._send_mail(connection)

    def _send_mail(self, connection: Connection) -> None:
        mailbag = self._mailbags[connection]
        while connection.is_open and connection.bytes_waiting < MAIL_BYTES_SOFT:
            message = mailbag.next_message()
            if message is None:
                return
            connection.send(codec.encode(message))

    def _take_mail(self, connection: Connection, message: PeerMessage) -> None:
        assert connection.peer is not None
        node_message = self._mailbags[connection].take(message)
        if node_message is None or self.mail_receiver is None:
            return
        if connection.is_visitor:
            self.mail_receiver.visitor_asks(
                connection.peer,
                connection.proven_key,
                node_message,
                lambda answer: self._answer_visitor(connection, answer),
            )
        else:
            self.mail_receiver.mail_received(connection.peer, node_message)

    def _answer_visitor(self, connection: Connection, answer: bytes) -> None:
        if connection in self._mailbags:
            self._mailbags[connection].put(answer)
            self._send_mail(connection)

    # Owner

    def expects(self, connection: Connection, hello: Hello) -> bool:
        if hello.is_visitor:
            return connection.dialled is None
        if connection.dialled is not None and hello.node_id != connection.dialled:
            return False
        if not self._is_itself(hello.node_id, connection.proven_key):
            self._tell_of_other_key(hello, connection.proven_key)
            return False
        return hello.node_id != self._settings.node_id and len(self._members) < PEERS_MAX

    def _tell_of_other_key(self, hello: Hello, shown: str) -> None:
        """Once: who tries three times a second must not fill the log."""
        if self._told_keys.get(hello.node_id) == shown:
            return
        self._told_keys[hello.node_id] = shown
        log.error(
            "link.other_key",
            peer=hello.node_id,
            shown=shown or None,
            recorded=self._recorded_keys[hello.node_id],
            hint=f"Somebody who knows the secret says it is {hello.node_id}, with another key. If it is that "
            f"node and has lost its node.key, run `corvo cluster forget-key {hello.node_id}`; if it has lost "
            f"its data, run `corvo cluster remove {hello.node_id}` and let it join again. If it is not, "
            "change the secret.",
        )

    def _is_itself(self, peer: str, proven_key: str) -> bool:
        """Whether this is the key of the node so called, as far as that is known. A certificate proves the
        name by itself, and without a secret nothing does."""
        if self.tls is not None or not self.link_keys:
            return True
        return self._recorded_keys.get(peer, proven_key) == proven_key

    def greeted(self, connection: Connection) -> None:
        peer = connection.peer
        assert peer is not None
        self._mailbags[connection] = PeerMail()
        if connection.is_visitor:
            return  # Stays among the strangers, whose time is limited.
        self._strangers.pop(connection, None)
        if connection.dialled is not None:
            self._manners[peer] = connection.manner
        before = self._members.get(peer)
        if before is not None and self._is_second(connection, before):
            connection.abort("both have dialled")
            return
        if before is not None:
            # The peer would not dial again if it still had the old one.
            self._forget(before)
            before.abort("it has dialled again")
        self._members[peer] = connection
        log.info("link.connected", peer=peer)
        if self._receiver is not None:
            self._receiver.peer_connected(peer)
        if self.mail_receiver is not None:
            self.mail_receiver.link_changed(peer, is_up=True)

    def _is_second(self, connection: Connection, before: Connection) -> bool:
        """Whether both sides have dialled at once: then the connection of the greater id stays, on both."""
        assert connection.peer is not None
        is_ours_first = self._settings.node_id > connection.peer
        is_of_lesser = (connection.dialled is None) == is_ours_first
        return is_of_lesser and before.is_open and self._now() - before.greeted_s < self._timing.hello_s

    def received(self, connection: Connection, message: PeerMessage, size: int) -> bool:
        if self._receiver is None or connection.peer is None:
            return True
        if message["type"] == "mail":
            self._take_mail(connection, message)
            return True
        if self._members.get(connection.peer) is not connection:
            return True
        return self._receiver.message_received(connection.peer, message, size)

    def closed(self, connection: Connection) -> None:
        self._strangers.pop(connection, None)
        if connection.dialled is not None and connection.peer is None:
            self._manners[connection.dialled] = connection.manner.after_refusal(
                knew_secret=connection.has_shaken_hands or not self.link_keys,
                may_do_without_keys=connection.dialled not in self._recorded_keys,
            )
        self._forget(connection)
        if self._all_closed is not None and not self._connections():
            self._all_closed.set()

    def _forget(self, connection: Connection) -> None:
        self._mailbags.pop(connection, None)
        peer = connection.peer
        if peer is not None and self._members.get(peer) is connection:
            del self._members[peer]
            # It may come back as another version.
            self._manners[peer] = self._manners.get(peer, Manner()).after_loss()
            log.info("link.disconnected", peer=peer)
            if self._receiver is not None:
                self._receiver.peer_disconnected(peer)
            if self.mail_receiver is not None:
                self.mail_receiver.link_changed(peer, is_up=False)

    def _connections(self) -> list[Connection]:
        return [*self._members.values(), *self._strangers]

    # Connecting

    def _accept(self) -> asyncio.BaseProtocol:
        connection = Connection(self, self._now, dialled=None)
        if len(self._strangers) >= STRANGERS_MAX and not self._make_room():
            return _Refusal()
        self._strangers[connection] = self._now()
        return connection

    def _make_room(self) -> bool:
        """Show out who has stood there longest without having greeted: a member needs a few
        milliseconds, so a crowd that says nothing does not keep it out."""
        for connection in self._strangers:
            if connection.dialled is None and connection.peer is None:
                connection.abort("others want to come in")
                self._strangers.pop(connection)
                return True
        return False

    def _dial_members(self) -> None:
        for peer in set(self._dialling) - set(self._addresses):
            self._dialling.pop(peer).cancel()
        for peer in self._addresses:
            if peer not in self._dialling:
                self._dialling[peer] = asyncio.get_running_loop().create_task(self._dial_for_ever(peer))

    async def _dial_for_ever(self, peer: str) -> None:
        retry_s = self._timing.connect_retry_s
        is_first = self._settings.node_id > peer
        while True:
            if not is_first:
                await asyncio.sleep(retry_s * _PATIENCE)
            if peer not in self._members and not any(c.dialled == peer for c in self._strangers):
                await self._dial(peer)
            if is_first:
                await asyncio.sleep(retry_s)

    async def _dial(self, peer: str) -> None:
        host, port = split(self._addresses[peer])
        connection = Connection(self, self._now, dialled=peer, manner=self._manners.get(peer))
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
        """Now and then: ping peers that were sent nothing, and give up on those that are silent."""
        while True:
            await asyncio.sleep(self._timing.silence_s / 4)
            now = self._now()
            for connection in list(self._members.values()):
                if now - connection.last_heard_s > self._timing.silence_s and not connection.is_paused:
                    connection.abort("it has gone silent")
                elif now - connection.last_said_s > self._timing.silence_s / 4:
                    connection.send(PING)
            for connection, since in list(self._strangers.items()):
                patience_s = self._timing.visit_s if connection.is_visitor else self._timing.hello_s
                if now - since > patience_s:
                    connection.abort("it does not greet, or stays too long")


class _Refusal(asyncio.Protocol):
    """Closes the connection at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)
