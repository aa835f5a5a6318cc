"""Outbox, between the engine and the link: a promise waits here until the disk has kept it.

    engine -> [outbox] -> link

A vote, a request for votes and an acknowledgement say "I will remember". They leave only after the sync
that makes it true. A leader's entries may leave before: the leader does not count itself until its own
disk has them, and the followers' promises are their own.
"""

from typing import Any, Final

from pysyncobj.transport import Transport

from corvo.consensus.link.protocol import PeerLink, PeerMessage

#: Promises kept back while the disk is full. Older ones are dropped: a message may always get lost.
HELD_MAX: Final = 1_024
#: Everything else may be said at once.
PROMISES: Final = frozenset({"request_vote", "response_vote", "next_node_idx", "snapshot_reply"})


class Outbox(Transport):  # type: ignore[misc]  # pysyncobj ships no types.
    def __init__(self, link: PeerLink) -> None:
        super().__init__(None, None, [])
        self._link = link
        self._held: list[tuple[str, PeerMessage]] = []

    def send(self, node: Any, message: PeerMessage) -> bool:
        """Called by pysyncobj, whose nodes are objects with an id."""
        return self.post(node.id, message)

    def post(self, peer: str, message: PeerMessage) -> bool:
        if message["type"] in PROMISES:
            self._held.append((peer, message))
            del self._held[:-HELD_MAX]
            return True
        return self._link.send(peer, message)

    def has_room(self, peer: str) -> bool:
        return self._link.has_room(peer)

    def release(self) -> None:
        """Everything written so far is durable: say what was promised."""
        held, self._held = self._held, []
        for peer, message in held:
            self._link.send(peer, message)
