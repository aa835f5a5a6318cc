"""Sign-on: from what an OpenID provider says about somebody to who that is here.

browser -> start -> provider -> callback(code) -> [sign-on] -> Verified -> session
Authorization: Bearer <id token>               -> [sign-on] -> Verified -> token book
"""

import asyncio
from base64 import b64encode
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import jwt
import structlog

from corvo.core.access.session import Identity
from corvo.core.access.sso import SsoSettings
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import SignOnFailed, Unauthorized
from corvo.core.limits import CLAIMS_MAX, KEY_NAME_CHARS_MAX
from corvo.core.namespace import DEFAULT
from corvo.http.serve.access.control import AccessControl
from corvo.http.serve.access.credentials import digest_of
from corvo.http.serve.access.tokens import Verified
from corvo.http.serve.sign_on.asking import ask
from corvo.http.serve.sign_on.provider import ALGORITHMS, Provider

log = structlog.get_logger()

#: Clocks differ a little.
_LEEWAY_S: Final = 30
#: Longer than any token that says who somebody is.
_TOKEN_BYTES_MAX: Final = 32 * 1024
_GROUP_CHARS_MAX: Final = 256


class SignOn:
    def __init__(self, access: AccessControl, clock: Clock, secret_file: str) -> None:
        self._access = access
        self._clock = clock
        self._secret_file = secret_file
        self._provider: Provider | None = None

    def provider(self) -> Provider:
        """As settings name it now."""
        issuer = self._access.sso.issuer
        if self._provider is None or self._provider.issuer != issuer:
            self._provider = Provider(issuer, self._clock)
        return self._provider

    # Tokens that are sent with a request

    async def verify(self, token: bytes) -> None:
        """Enters the token into the token book. Raises Unauthorized if it is not to be believed."""
        self._access.tokens.remember(digest_of(token), await self.verified(token, nonce=None))

    async def verified(self, token: bytes, nonce: str | None) -> Verified:
        """What a token says, when signature, issuer, audience, time and nonce are right."""
        sso = self._access.sso
        if len(token) > _TOKEN_BYTES_MAX:
            raise Unauthorized(f"the token has more than {_TOKEN_BYTES_MAX} bytes")
        try:
            kid = jwt.get_unverified_header(token).get("kid")
            key = await self.provider().key(kid)
            claims = jwt.decode(
                token,
                key,
                # Of those, only the one that the key is for.
                algorithms=[name for name in ALGORITHMS if name == key.algorithm_name],
                audience=sso.client_id,
                issuer=sso.issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise Unauthorized(f"the token of {sso.issuer} does not count: {error}") from None
        if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != sso.client_id:
            raise Unauthorized("the token was made for another client")
        if nonce is not None and claims.get("nonce") != nonce:
            raise Unauthorized("the token was made for another login")
        return Verified(_identity(claims, sso), int(claims["exp"]) * NS_PER_S)

    # Codes that a browser brings back

    async def redeem(self, code: str, verifier: str, redirect_url: str, nonce: str) -> Verified:
        """What the provider says about whoever brought this code."""
        description = await self.provider().describe()
        sso = self._access.sso
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_url,
            "client_id": sso.client_id,
            "code_verifier": verifier,
        }
        secret = await asyncio.to_thread(self._secret)
        authorization = None
        if secret:
            methods = description.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
            if "client_secret_basic" in methods:
                pair = f"{quote(sso.client_id, safe='')}:{quote(secret, safe='')}"
                authorization = "Basic " + b64encode(pair.encode()).decode()
            else:
                form["client_secret"] = secret
        answer = await ask(description["token_endpoint"], urlencode(form).encode(), authorization)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise SignOnFailed(f"{sso.issuer} gave no id token; ask for the scope openid")
        return await self.verified(token.encode(), nonce)

    def _secret(self) -> str:
        """Read each time, so that it can be changed without a restart."""
        if not self._secret_file:
            return ""
        try:
            return Path(self._secret_file).read_text().strip()
        except (OSError, ValueError) as error:
            raise SignOnFailed(f"--oidc-client-secret-file: {self._secret_file}: {error}") from None


def _identity(claims: dict[str, Any], sso: SsoSettings) -> Identity:
    name = _name(claims)
    namespace = _first(claims, "corvo_namespace", "namespace") or DEFAULT
    own = _first(claims, "corvo_role", "role")
    roles = [*([own] if own else []), *_texts(claims.get("corvo_roles"))]
    groups = _texts(claims.get(sso.group_claim))
    return Identity(
        "oidc", sso.issuer, name, namespace, tuple(roles[:CLAIMS_MAX]), tuple(groups[:CLAIMS_MAX])
    )


def _name(claims: dict[str, Any]) -> str:
    """The address, unless the provider itself says that it was never verified."""
    address = claims.get("email") if claims.get("email_verified") is not False else None
    for found in (address, claims.get("preferred_username"), claims["sub"]):
        if isinstance(found, str) and found and found.isprintable():
            return found[:KEY_NAME_CHARS_MAX]
    raise Unauthorized("the token does not name anybody: its sub is no text")


def _first(claims: dict[str, Any], *names: str) -> str:
    for name in names:
        if isinstance(claims.get(name), str) and claims[name]:
            return str(claims[name])[:_GROUP_CHARS_MAX]
    return ""


def _texts(value: Any) -> list[str]:
    """Some providers give a single group as a text, or several separated by commas."""
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [text.strip()[:_GROUP_CHARS_MAX] for text in listed if isinstance(text, str) and text.strip()]
