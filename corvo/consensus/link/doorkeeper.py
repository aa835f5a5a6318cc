"""Doorkeeper: answers at the door of a node that is no member yet, so that members can see who it is.

    registrar's look ~~~ connection -> [doorkeeper]

A node that waits to be taken in has no log and no state, so it has nothing to say but its name, and that only
to who knows the secret. Members that dial it before it knows of them are shown out, and dial again.
"""

import asyncio
from collections.abc import Callable

from corvo.consensus.link.connection import Connection
from corvo.consensus.link.hello import Hello
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.settings import RaftSettings

#: Callers at a time.
_CALLERS_MAX = 8


class Doorkeeper:
    def __init__(self, settings: RaftSettings, now: Callable[[], float]) -> None:
        self._settings = settings
        self._now = now
        self.tls = settings.tls
        self.link_keys = settings.link_keys
        self.identity = settings.identity
        self.hello = Hello(settings.node_id, settings.cluster_id)
        #: The first came first.
        self._callers: dict[Connection, None] = {}
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> "Doorkeeper":
        listener = self._settings.listener
        if listener is not None:
            # A copy: the mesh listens with the original later, and who calls between the two waits.
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(self._accept, sock=listener.dup())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for caller in list(self._callers):
            caller.abort("this node is taken in, or stops")

    def _accept(self) -> asyncio.BaseProtocol:
        while len(self._callers) >= _CALLERS_MAX:
            longest = next(iter(self._callers))
            del self._callers[longest]
            longest.abort("others want to look")
        connection = Connection(self, self._now, dialled=None)
        self._callers[connection] = None
        timeout_s = self._settings.timing.hello_s
        asyncio.get_running_loop().call_later(timeout_s, connection.abort, "it stays too long")
        return connection

    # Owner

    def expects(self, connection: Connection, hello: Hello) -> bool:
        return hello.is_visitor

    def greeted(self, connection: Connection) -> None:
        """It knows now who listens here, which is all there is to know."""

    def received(self, connection: Connection, message: PeerMessage, size: int) -> bool:
        """A node that is no member answers no question; the caller asks the next one."""
        connection.close()
        return True

    def has_room_again(self, connection: Connection) -> None:
        """Nothing is sent but a greeting."""

    def closed(self, connection: Connection) -> None:
        self._callers.pop(connection, None)
