"""Credentials: what a request shows to say who sends it.

X-API-Key: corvo_...        Authorization: Bearer corvo_...        a client certificate, verified by TLS
"""

from hashlib import sha256

from corvo.core.access.api_key import KEY_CHARS, PREFIX, is_well_formed
from corvo.core.errors import Unauthorized
from corvo.http.wire.message import Request

_BEARER = b"bearer "
#: What a certificate's name is hashed with, so that no API key can have the same hash.
_CERTIFICATE = b"certificate:"


def digest_shown(request: Request) -> bytes | None:
    """The hash of the credential that the request carries, if any. A key comes before a certificate."""
    secret = shown(request)
    if secret is not None:
        return digest_of(secret)
    return digest_of_certificate(request.certificate) if request.certificate else None


def digest_of_certificate(name: str) -> bytes:
    return sha256(_CERTIFICATE + name.encode()).digest()


def digest_of(secret: bytes) -> bytes:
    return sha256(secret).digest()


def shown(request: Request) -> bytes | None:
    """The secret that the request carries, if any."""
    key = request.headers.get(b"x-api-key")
    if key:
        return key
    authorization = request.headers.get(b"authorization")
    if authorization and authorization[: len(_BEARER)].lower() == _BEARER:
        return authorization[len(_BEARER) :].strip()
    return None


def why_not(request: Request) -> Unauthorized:
    """What to tell the sender of a credential that counts for nothing. Nothing of a secret is repeated."""
    secret = shown(request)
    if secret is None:
        return Unauthorized(f"no key stands for the certificate of {request.certificate!r}")
    return why_not_secret(secret)


def why_not_secret(secret: bytes) -> Unauthorized:
    text = secret.decode("latin-1")
    if text.startswith(PREFIX) and len(text) != KEY_CHARS:
        return Unauthorized(f"this API key has {len(text)} characters; one of Corvo has {KEY_CHARS}")
    if text.startswith(PREFIX) and not is_well_formed(text):
        return Unauthorized("this API key is mistyped: its last characters do not fit the others")
    return Unauthorized("this credential is not known here, or it was disabled or has expired")
