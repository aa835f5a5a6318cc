"""Link protocol: what the engine asks of a network, and what it says on it.

    engine -> outbox -> [link] ~~~ [link] -> driver -> engine

Messages are dicts because pysyncobj builds and reads them as such. They are checked field by field when
they come in, so nothing behind the link meets a message of the wrong shape.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

PeerMessage = dict[str, Any]

#: Messages that claim the lead, or ask for it. From an older term they are answered with the newer one.
CLAIMS: Final = frozenset({"append_entries", "keepalive", "snapshot_chunk", "request_vote"})
#: Messages that answer a leader. A node that was sent something may answer, even one dismissed meanwhile: it
#: may be taken in again on the same connection, and its transfer would wait for ever for the answer.
ANSWERS: Final = frozenset({"next_node_idx", "snapshot_reply"})


class PeerLink(Protocol):
    """Ordered, reliable delivery to each connected peer; nothing is promised across connections."""

    def send(self, peer: str, message: PeerMessage) -> bool:
        """False if the peer is not connected, or so far behind that it had to be cut off."""
        ...

    def has_room(self, peer: str) -> bool:
        """Whether more bulk data should be queued for this peer now."""
        ...

    def set_peers(self, addresses: Mapping[str, str], keys: Mapping[str, str]) -> None:
        """From now on keep up connections with these nodes: id -> "host:port". Those that have a key must
        prove to have it."""
        ...

    def proven_keys(self) -> Mapping[str, str]:
        """The keys that the nodes connected now have proven to have, by id."""
        ...


class Receiver(Protocol):
    """Where a link delivers. Called on the loop's thread."""

    def peer_connected(self, peer: str) -> None: ...

    def peer_disconnected(self, peer: str) -> None: ...

    def message_received(self, peer: str, message: PeerMessage, size: int) -> bool:
        """Take a message. False asks the link to pause reading from this peer until `resume`."""
        ...
