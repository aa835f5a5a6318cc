"""Idempotency: the op that has a request with an Idempotency-Key done once, and what that op answers."""

from hashlib import blake2b
from typing import Final

import msgspec

from corvo.core.errors import CorvoError, ValidationFailed
from corvo.core.limits import IDEMPOTENCY_KEY_CHARS_MAX
from corvo.core.namespace import qualified
from corvo.http.serve.write_intent import Written
from corvo.http.wire.message import Request
from corvo.ops.idempotency import Once
from corvo.ops.results import Recalled

#: Query parameters that may differ when a client repeats a request: how long it waits for the end, that it
#: confirms, how fresh what is read has to be, that it is strict. All others say what is to be done.
_MANNERS: Final = frozenset({"wait", "confirm", "consistency", "strict"})


def once_of(request: Request, count: int, part: str = "", digest_key: bytes = b"") -> Once | None:
    """The op that covers the request, or a part of it that is done by itself, if its client gave a key.

    The digest is stored. With a key, nobody can try out what a body may have been that is kept sealed.
    """
    key = request.header(b"idempotency-key")
    if not key:
        return None
    if len(key) > IDEMPOTENCY_KEY_CHARS_MAX:
        raise ValidationFailed(f"Idempotency-Key is longer than {IDEMPOTENCY_KEY_CHARS_MAX} characters")
    digest = blake2b(request.body, digest_size=16, key=digest_key)
    digest.update(f"{request.method} {request.path}".encode())
    said = sorted(pair for pair in request.query.items() if pair[0] not in _MANNERS)
    token = request.header(b"x-corvo-lease-token")
    if said or token:
        digest.update(msgspec.json.encode((said, token)))
    # No header has a NUL in it, so no client's key is that of a part.
    return Once(qualified(request.namespace, f"{key}\0{part}" if part else key), digest.digest(), count)


def what_was_covered(written: Written) -> Written:
    """The outcomes of the ops behind the Once. Raises if the key stands for another request."""
    recalled, *outcomes = written.outcomes
    if isinstance(recalled, CorvoError):
        raise recalled
    assert isinstance(recalled, Recalled)
    return Written(written.index, outcomes, recalled.replayed)
