"""Join client: one question to a node whose name is not known yet, such as to be taken in.

joining node -> [join client] -> connection ~~~ connection -> mesh -> node inbox
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from corvo.consensus.link import codec
from corvo.consensus.link.connection import Connection
from corvo.consensus.link.hello import Hello
from corvo.consensus.link.mail import PeerMail
from corvo.consensus.link.mesh import split
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.settings import RaftSettings

#: Stands for the name of the node that answers at an address.
_ANY_NODE = ""


class JoinRequestFailed(Exception):
    """No node answered at this address, or not in our protocol."""


async def ask(settings: RaftSettings, address: str, node_message: bytes, now: Callable[[], float]) -> bytes:
    """Ask the node that listens at this address, and return the answer. Raises JoinRequestFailed."""
    exchange = _Exchange(settings, node_message)
    connection = Connection(exchange, now, dialled=_ANY_NODE)
    try:
        host, port = split(address)
        async with asyncio.timeout(settings.timing.visit_s):
            await asyncio.get_running_loop().create_connection(lambda: connection, host, port)
            return await exchange.answer
    except (OSError, ValueError) as error:  # A TimeoutError is an OSError.
        raise JoinRequestFailed(f"{address} does not answer: {str(error) or 'it took too long'}") from None
    finally:
        connection.close()


class _Exchange:
    """The visitor's end, as its connection sees it."""

    def __init__(self, settings: RaftSettings, node_message: bytes) -> None:
        self.tls = settings.tls
        self.link_key = settings.link_key
        self.hello = replace(Hello(settings.node_id, settings.cluster_id), is_visitor=True)
        self.answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._mailbag = PeerMail()
        self._mailbag.put(node_message)

    def expects(self, connection: Connection, hello: Hello) -> bool:
        return True

    def greeted(self, connection: Connection) -> None:
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
        if not self.answer.done():
            self.answer.set_exception(ConnectionError("it closed the connection; is the secret the same?"))
