"""Mail: what the node itself says to other nodes, on the same link as consensus but never in its way.

    leader forwarder -> [peer mail] -> connection ~~~ connection -> [peer mail] -> node inbox

A node message is cut into pieces, and pieces are handed to a connection only while little waits there. So a
node message of many megabytes delays a heartbeat by a fraction of a second at most. Node messages arrive
whole and in order, or, when the connection is lost, not at all.
"""

from collections import deque
from typing import Final

from corvo.consensus.link.codec import MAIL_PIECE_BYTES, Malformed
from corvo.consensus.link.protocol import PeerMessage

#: The largest node message: what one fetch may bring, and then some.
NODE_MESSAGE_BYTES_MAX: Final = 512 * 1024 * 1024


class PeerMail:
    """Node messages to and from one peer, for the life of one connection."""

    def __init__(self) -> None:
        self._outgoing: deque[memoryview] = deque()
        self._incoming: list[bytes] = []
        self._incoming_bytes = 0

    def put(self, node_message: bytes) -> None:
        assert 0 < len(node_message) <= NODE_MESSAGE_BYTES_MAX
        self._outgoing.append(memoryview(node_message))

    def next_message(self) -> PeerMessage | None:
        """The next piece to send, or None if there is none."""
        if not self._outgoing:
            return None
        node_message = self._outgoing[0]
        is_last = len(node_message) <= MAIL_PIECE_BYTES
        if is_last:
            self._outgoing.popleft()
        else:
            self._outgoing[0] = node_message[MAIL_PIECE_BYTES:]
        return {"type": "mail", "piece": bytes(node_message[:MAIL_PIECE_BYTES]), "is_last": is_last}

    def take(self, message: PeerMessage) -> bytes | None:
        """A piece has come. Returns the node message once it is whole."""
        self._incoming_bytes += len(message["piece"])
        if self._incoming_bytes > NODE_MESSAGE_BYTES_MAX:
            raise Malformed(f"a message between nodes of more than {NODE_MESSAGE_BYTES_MAX} bytes")
        self._incoming.append(message["piece"])
        if not message["is_last"]:
            return None
        pieces, self._incoming, self._incoming_bytes = self._incoming, [], 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
