"""Token book: id tokens of the provider that were verified, and whom each stands for until it expires.

A token is verified once; after that it is looked up by its hash like any other credential.
"""

from collections import OrderedDict
from typing import Final

import msgspec

from corvo.core.access.principal import Principal
from corvo.core.access.session import Identity
from corvo.http.serve.access.identities import principal_of
from corvo.http.serve.access.keyring import Keyring

#: Tokens remembered at most. The oldest is forgotten, and verified again when it comes again.
_TOKENS_MAX: Final = 10_000


class Verified(msgspec.Struct, frozen=True, gc=False):
    """What a token says, once its signature and everything else in it has been checked."""

    identity: Identity
    until_ns: int


class TokenBook:
    def __init__(self) -> None:
        self._verified: OrderedDict[bytes, Verified] = OrderedDict()
        self._principals: dict[bytes, Principal] = {}

    def remember(self, digest: bytes, verified: Verified) -> None:
        self._verified[digest] = verified
        if len(self._verified) > _TOKENS_MAX:
            forgotten, _ = self._verified.popitem(last=False)
            self._principals.pop(forgotten, None)

    def forget_principals(self) -> None:
        """A role or a mapping has changed."""
        self._principals.clear()

    def knows(self, digest: bytes, now_ns: int) -> bool:
        found = self._verified.get(digest)
        return found is not None and now_ns < found.until_ns

    def find(self, digest: bytes, keyring: Keyring, now_ns: int) -> Principal | None:
        found = self._verified.get(digest)
        if found is None or now_ns >= found.until_ns or found.identity.issuer != keyring.sso.issuer:
            return None
        principal = self._principals.get(digest)
        if principal is None:
            principal = self._principals[digest] = principal_of(found.identity, keyring.sso, keyring.roles)
        return principal


def looks_like_one(secret: bytes) -> bool:
    """Whether it may be a token at all: three parts, the first of which begins as JSON does."""
    return secret.startswith(b"eyJ") and secret.count(b".") == 2
