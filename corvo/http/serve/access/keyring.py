"""Keyring: which principal a credential stands for. Made anew whenever a key or a role changes.

A credential is looked up by its hash. Whoever sends guesses learns nothing from how long that takes: the
hash of a guess says nothing about how near the guess was.
"""

from hmac import compare_digest

import msgspec

from corvo.actors.access.messages import AccessChanged
from corvo.core.access.api_key import ApiKey, KeySecret
from corvo.core.access.principal import Principal
from corvo.core.access.role import CustomRole, permissions_of
from corvo.core.access.sso import SsoSettings


class Holder(msgspec.Struct, frozen=True, gc=False):
    """Who a secret stands for, and until when."""

    key_id: str
    principal: Principal
    hash: bytes
    until_ns: int | None

    def counts(self, now_ns: int) -> bool:
        return self.until_ns is None or now_ns < self.until_ns


class Keyring:
    def __init__(self, news: AccessChanged, own: list[Holder]) -> None:
        """`own` are credentials that this node has from its settings, not from the cluster."""
        self.is_shut = news.is_shut or bool(own)
        self._roles = {role.name: role for role in news.roles}
        self.sso: SsoSettings = news.sso
        self._by_hash: dict[bytes, Holder] = {holder.hash: holder for holder in own}
        for key in news.keys:
            if key.enabled:
                for secret in key.secrets:
                    self._by_hash[secret.hash] = _holder(key, secret, self._roles)

    @property
    def roles(self) -> dict[str, CustomRole]:
        return self._roles

    def find(self, digest: bytes, now_ns: int) -> Holder | None:
        holder = self._by_hash.get(digest)
        if holder is None or not compare_digest(holder.hash, digest) or not holder.counts(now_ns):
            return None
        return holder


def _holder(key: ApiKey, secret: KeySecret, roles: dict[str, CustomRole]) -> Holder:
    principal = Principal(
        name=f"key:{key.name}",
        namespace=key.namespace,
        role=key.role,
        permissions=permissions_of((key.role, *key.roles), roles),
        scope=key.scope,
    )
    ends = [at_ns for at_ns in (key.expires_ns, secret.until_ns) if at_ns is not None]
    return Holder(key.id, principal, secret.hash, min(ends, default=None))
