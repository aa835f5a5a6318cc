"""Manner: under which secret, and in which version of the protocol, a node begins to speak to another.

    mesh, join client -> [manner] -> connection

While the secret is changed, and while a cluster is upgraded node by node, two nodes may not have the same of
both. The dialler tries: one that is turned away before the handshake is over has used the wrong secret, one
that is turned away at its greeting, and again, may have used a protocol that the other does not know. Once is
not enough: a node that is about to start, or that has dialled at the same time, turns away as well.
"""

from dataclasses import dataclass, replace
from typing import Final

from corvo.consensus.link.hello import PROTOCOL, PROTOCOL_WITHOUT_KEYS

#: Greetings until one was in the protocol from before keys.
TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Manner:
    #: Which of the node's secrets.
    secret: int = 0
    protocol: int = PROTOCOL
    #: How often a greeting was turned away.
    refusals: int = 0

    def keys_in_order(self, keys: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The keys, the one to speak under first."""
        first = self.secret % len(keys)
        return (*keys[first:], *keys[:first])

    def after_refusal(self, *, knew_secret: bool, may_do_without_keys: bool) -> "Manner":
        """What to try next."""
        if not knew_secret:
            return replace(self, secret=self.secret + 1)
        refusals = self.refusals + 1
        is_old = may_do_without_keys and refusals % TRIES == TRIES - 1
        return replace(self, protocol=PROTOCOL_WITHOUT_KEYS if is_old else PROTOCOL, refusals=refusals)

    def after_loss(self) -> "Manner":
        """For who comes back, maybe as another version: the secret is the one it knew."""
        return Manner(self.secret)
