"""An OpenID provider: how it describes itself, and the keys by which it signs.

Both are asked for when first needed and remembered. A token signed by a key that is not known has the keys
asked for once more, since providers change them; but not for every forged token.
"""

import asyncio
from typing import Any, Final

import jwt
import structlog

from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import SignOnFailed, Unauthorized
from corvo.http.serve.sign_on.asking import ask, check_address

log = structlog.get_logger()

#: Signatures that count. None that a public key could be mistaken for a secret in, and never `none`.
ALGORITHMS: Final = ("RS256", "ES256", "EdDSA")
_KEYS_MAX: Final = 100
_REMEMBERED_NS: Final = 3_600 * NS_PER_S
#: Keys are asked for at most this often because a token names one that is not known.
_ASKED_AGAIN_NS: Final = 10 * NS_PER_S


class Provider:
    def __init__(self, issuer: str, clock: Clock) -> None:
        self.issuer = issuer
        self._clock = clock
        self._description: dict[str, Any] = {}
        self._described_ns = 0
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._asked_ns: int | None = None
        self._asking = asyncio.Lock()

    async def describe(self) -> dict[str, Any]:
        """Its own description: where it authorizes, hands out tokens and shows its keys."""
        async with self._asking:
            now_ns = self._clock.monotonic_ns()
            if not self._description or now_ns - self._described_ns > _REMEMBERED_NS:
                self._description = await self._described()
                self._described_ns = now_ns
        return self._description

    async def _described(self) -> dict[str, Any]:
        found = await ask(self.issuer.rstrip("/") + "/.well-known/openid-configuration")
        if found.get("issuer") != self.issuer:
            raise SignOnFailed(
                f"{self.issuer} calls itself {str(found.get('issuer'))[:200]!r}; use that name"
            )
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            try:
                check_address(str(found.get(name)))
            except ValueError as error:
                raise SignOnFailed(f"{self.issuer}: its {name} {error}") from None
        return found

    async def key(self, kid: str | None) -> jwt.PyJWK:
        """The key of this id; if there is one key only, a token need not name it."""
        if self._is_due(kid):
            await self._ask_for_keys(kid)
        found = self._keys.get(kid)
        if found is None and kid is None and len(self._keys) == 1:
            (found,) = self._keys.values()
        if found is None:
            raise Unauthorized("the token is signed by a key that its provider does not have")
        return found

    def _is_due(self, kid: str | None) -> bool:
        """Now and then in any case: a key that the provider has given up must not count for ever."""
        if self._asked_ns is None:
            return True
        waited_ns = self._clock.monotonic_ns() - self._asked_ns
        return waited_ns >= (_REMEMBERED_NS if kid in self._keys else _ASKED_AGAIN_NS)

    async def _ask_for_keys(self, kid: str | None) -> None:
        description = await self.describe()
        async with self._asking:
            if not self._is_due(kid):
                return
            self._asked_ns = self._clock.monotonic_ns()
            listed = (await ask(description["jwks_uri"])).get("keys")
            keys: dict[str | None, jwt.PyJWK] = {}
            for entry in listed[:_KEYS_MAX] if isinstance(listed, list) else ():
                try:
                    # A key that is not for signatures, or of a kind we do not know, is none of ours.
                    if entry.get("use", "sig") == "sig" and entry.get("kty") != "oct":
                        keys[entry.get("kid")] = jwt.PyJWK(entry)
                except (jwt.PyJWTError, AttributeError, TypeError, ValueError):
                    log.warning("sign_on.key_left_out", issuer=self.issuer)
            self._keys = keys
            log.info("sign_on.keys_read", issuer=self.issuer, keys=len(keys))
