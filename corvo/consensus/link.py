"""What the engine asks of a network, and what it says on it.

    engine -> outbox -> [link] ~~~ [link] -> driver -> engine

Messages are dicts because pysyncobj builds and reads them as such. They are checked field by field when
they come in, so nothing behind the link meets a message of the wrong shape.
"""

from collections.abc import Mapping
from typing import Any, Protocol

Message = dict[str, Any]


class Link(Protocol):
    """Ordered, reliable delivery to each connected peer; nothing is promised across connections."""

    def send(self, peer: str, message: Message) -> bool:
        """False if the peer is not connected, or so far behind that it had to be cut off."""
        ...

    def has_room(self, peer: str) -> bool:
        """Whether more bulk data should be queued for this peer now."""
        ...

    def set_peers(self, addresses: Mapping[str, str]) -> None:
        """From now on keep up connections with these nodes: id -> "host:port"."""
        ...


class Receiver(Protocol):
    """Where a link delivers. Called on the loop's thread."""

    def peer_connected(self, peer: str) -> None: ...

    def peer_disconnected(self, peer: str) -> None: ...

    def message_received(self, peer: str, message: Message, size: int) -> bool:
        """Take a message. False asks the link to pause reading from this peer until `resume`."""
        ...
