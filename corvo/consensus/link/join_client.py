"""Join client: one question to a node whose name is not known yet, such as to be taken in.

    joining node -> [join client] -> connection ~~~ connection -> mesh -> node inbox

Nothing of the question is sent before the other side has proven to know the secret, or shown a certificate.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from corvo.consensus.identity import NodeIdentity
from corvo.consensus.link import codec
from corvo.consensus.link.connection import Connection
from corvo.consensus.link.hello import Hello
from corvo.consensus.link.mail import PeerMail
from corvo.consensus.link.manner import TRIES, Manner
from corvo.consensus.link.mesh import split
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.settings import RaftSettings, Tls

#: Stands for the name of the node that answers at an address.
_ANY_NODE = ""


class JoinRequestFailed(Exception):
    """No node answered at this address, or not in our protocol."""


class NodeFound(NamedTuple):
    """The node that listens at an address, as it has proven."""

    node_id: str
    #: In hex; empty if it has shown none.
    key: str


class _TurnedAway(Exception):
    """The other side closed the connection before it had greeted."""

    def __init__(self, *, knew_secret: bool) -> None:
        super().__init__("it closed the connection; is the secret the same?")
        self.knew_secret = knew_secret


async def ask(settings: RaftSettings, address: str, node_message: bytes, now: Callable[[], float]) -> bytes:
    """Ask the node that listens at this address, and return the answer. Raises JoinRequestFailed."""
    return (await _visit(settings, address, node_message, now))[1]


async def look(settings: RaftSettings, address: str, now: Callable[[], float]) -> NodeFound:
    """Which node listens at this address. Raises JoinRequestFailed if none does that knows the secret."""
    return (await _visit(settings, address, None, now))[0]


async def _visit(
    settings: RaftSettings, address: str, node_message: bytes | None, now: Callable[[], float]
) -> tuple[NodeFound, bytes]:
    """In every manner there is, until one is understood."""
    timing, manner = settings.timing, Manner()
    tries = TRIES + max(1, len(settings.link_keys))
    try:
        host, port = split(address)
        async with asyncio.timeout(2 * timing.hello_s if node_message is None else timing.visit_s):
            while True:
                try:
                    return await _visit_once(settings, (host, port), node_message, now, manner)
                except _TurnedAway as refusal:
                    tries -= 1
                    if not tries:
                        raise ConnectionError(str(refusal)) from None
                    manner = manner.after_refusal(knew_secret=refusal.knew_secret, may_do_without_keys=True)
    except (OSError, ValueError) as error:  # A TimeoutError is an OSError.
        raise JoinRequestFailed(f"{address} does not answer: {str(error) or 'it took too long'}") from None


async def _visit_once(
    settings: RaftSettings,
    address: tuple[str, int],
    node_message: bytes | None,
    now: Callable[[], float],
    manner: Manner,
) -> tuple[NodeFound, bytes]:
    exchange = _Exchange(settings, node_message)
    connection = Connection(exchange, now, dialled=_ANY_NODE, manner=manner)
    try:
        await asyncio.get_running_loop().create_connection(lambda: connection, *address)
        answer = await exchange.answer
    finally:
        connection.close()
    assert connection.peer is not None
    return NodeFound(connection.peer, connection.proven_key), answer


class _Exchange:
    """The visitor's end, as its connection sees it."""

    def __init__(self, settings: RaftSettings, node_message: bytes | None) -> None:
        self.tls: Tls | None = settings.tls
        self.link_keys: tuple[bytes, ...] = settings.link_keys
        self.identity: NodeIdentity | None = settings.identity
        self.hello = Hello(settings.node_id, settings.cluster_id, is_visitor=True)
        self.answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._mailbag = PeerMail()
        self._is_question = node_message is not None
        if node_message is not None:
            self._mailbag.put(node_message)

    def expects(self, connection: Connection, hello: Hello) -> bool:
        return True

    def greeted(self, connection: Connection) -> None:
        if not self._is_question and not self.answer.done():
            self.answer.set_result(b"")
        while (message := self._mailbag.next_message()) is not None:
            connection.send(codec.encode(message))

    def received(self, connection: Connection, message: PeerMessage, size: int) -> bool:
        if message["type"] == "mail":
            node_message = self._mailbag.take(message)
            if node_message is not None and not self.answer.done():
                self.answer.set_result(node_message)
        return True

    def has_room_again(self, connection: Connection) -> None:
        """A question is small and was sent at once."""

    def closed(self, connection: Connection) -> None:
        if self.answer.done():
            return
        if connection.peer is not None:
            self.answer.set_exception(ConnectionError("it closed the connection without an answer"))
        else:
            knew = connection.has_shaken_hands or not self.link_keys
            self.answer.set_exception(_TurnedAway(knew_secret=knew))
