"""Sessions: what a person's browser holds instead of a key, from login to logout.

    corvo_session=<43 random characters>

The token has 256 bits and is kept as a hash only. A session by key stands for that key as it is now and
ends with the secret that was shown; one by single sign-on stands for what the provider said at the login.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final

import msgspec

from corvo.core.clock import NS_PER_S

#: How long a session lasts after its last use, and how long at most.
IDLE_NS: Final = 12 * 3_600 * NS_PER_S
LIFE_NS: Final = 7 * 86_400 * NS_PER_S
#: Its use is noted at most this often.
NOTED_EVERY_NS: Final = 60 * NS_PER_S

#: What is not for browsers, whoever sits in front of one: the work of workers, and the cluster itself.
NOT_BY_SESSION: Final = frozenset(
    {"fetch:write", "ack:write", "fail:write", "heartbeat:write", "release:write", "cluster:write"}
)


class Identity(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Somebody as another party knows them: an OpenID provider, or a proxy that speaks SAML."""

    #: oidc or saml.
    kind: str
    #: Who says so.
    issuer: str
    name: str
    namespace: str
    #: Roles that were claimed, and groups that settings may make roles of.
    roles: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class LoginSession(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: str
    hash: bytes
    #: As people see it: `key:deploy`, `oidc:ann@example.com`.
    name: str
    created_ns: int
    used_ns: int
    #: The address and the browser it was begun from.
    client: str
    agent: str
    #: The hash of the key's secret that was shown, or the identity.
    secret: bytes | None = None
    identity: Identity | None = None

    @property
    def owner(self) -> str:
        """The same for all sessions of one secret, or of one identity. Names of keys are not unique."""
        if self.secret is not None:
            return self.secret.hex()
        assert self.identity is not None
        return f"{self.identity.issuer} {self.identity.name}"

    @property
    def until_ns(self) -> int:
        return min(self.used_ns + IDLE_NS, self.created_ns + LIFE_NS)


def hash_of_token(token: bytes) -> bytes:
    # Not as API keys are hashed: a token shown as a key, or a key as a token, is not found.
    return sha256(b"session:" + token).digest()


def csrf_of(token: bytes) -> str:
    """What a page must send along with a change: other sites can have the cookie sent, but not read this."""
    return urlsafe_b64encode(sha256(b"csrf:" + token).digest()).decode().rstrip("=")


_decoder: Final = msgspec.msgpack.Decoder(LoginSession)
encode_session = msgspec.msgpack.Encoder().encode
decode_session = _decoder.decode
