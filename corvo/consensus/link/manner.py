"""Manner: under which secret, and in which version of the protocol, a node begins to speak to another.

    mesh, join client -> [manner] -> connection

While the secret is changed, and while a cluster is upgraded node by node, two nodes may not have the same of
both. The dialler tries: one that is turned away before the handshake is over has used the wrong secret, one
that is turned away at its greeting may have used a protocol that the other does not know.
"""

from dataclasses import dataclass, replace

from corvo.consensus.link.hello import PROTOCOL, PROTOCOL_WITHOUT_KEYS


@dataclass(frozen=True, slots=True)
class Manner:
    #: Which of the node's secrets.
    secret: int = 0
    protocol: int = PROTOCOL

    def keys_in_order(self, keys: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The keys, the one to speak under first."""
        first = self.secret % len(keys)
        return (*keys[first:], *keys[:first])

    def with_other_secret(self) -> "Manner":
        return replace(self, secret=self.secret + 1)

    def with_other_protocol(self) -> "Manner":
        """From before keys, and back."""
        other = PROTOCOL_WITHOUT_KEYS if self.protocol == PROTOCOL else PROTOCOL
        return replace(self, protocol=other)

    def after_refusal(self, *, knew_secret: bool, may_do_without_keys: bool) -> "Manner":
        """What to try next."""
        if not knew_secret:
            return self.with_other_secret()
        return self.with_other_protocol() if may_do_without_keys else replace(self, protocol=PROTOCOL)
