"""Codecs: payloads, results and checkpoints that even the server cannot read.

    Client(codec=codec)   what is enqueued is encoded, what is read is decoded
    Worker(codec=codec)   what is fetched is decoded, what a handler returns or saves is encoded

Encoded values are JSON objects with a member `corvo_sealed`, so the server stores and chains them like any
other. docs/encryption.md describes them for other languages; sdk/contract/codec-vectors.json has examples.
"""

import base64
import binascii
import logging
import os
from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeVar

import msgspec

log = logging.getLogger("corvo.codec")

T = TypeVar("T")

#: The member that tells an encoded value from all others.
SEALED: Final = "corvo_sealed"
_ENVELOPE: Final = frozenset({SEALED, "key", "alg"})
_VALUES: Final = frozenset({"payload", "checkpoint", "result", "callback_payload"})
#: Members of requests in which jobs, or what is said of them, are found.
_INSIDE: Final = frozenset({"jobs", "acks", "batch", "chain", "steps", "on_failure", "on_exit", "releases"})

_ALG: Final = "A256GCM"
_NONCE_BYTES: Final = 12


class CannotDecode(ValueError):
    """The key is not there, or the value was changed on its way."""


class Codec(Protocol):
    """Both must be quick, and may be called from several threads."""

    def encode(self, plain: bytes) -> dict[str, str]:
        """JSON in, the members of its envelope out: `corvo_sealed`, `key` and `alg` if they are needed."""

    def decode(self, envelope: Mapping[str, str]) -> bytes:
        """The JSON again. Raises CannotDecode."""


class AesGcmCodec:
    """AES-256-GCM with keys of 32 bytes, by id. Encodes with the current one and decodes with any.

    Nonces are random: make another key current before one has encoded 2^32 values.
    """

    def __init__(self, keys: Mapping[str, bytes], current: str) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra
        except ImportError:
            raise ImportError("AesGcmCodec needs cryptography: pip install 'corvo-sdk[crypto]'") from None
        if current not in keys:
            raise ValueError(f"there is no key {current!r} among the keys")
        if any(len(key) != 32 for key in keys.values()):
            raise ValueError("a key has 32 bytes")
        self._current = current
        self._ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}

    def encode(self, plain: bytes) -> dict[str, str]:
        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + self._ciphers[self._current].encrypt(nonce, plain, _bound_to(self._current))
        return {SEALED: base64.b64encode(sealed).decode(), "key": self._current, "alg": _ALG}

    def decode(self, envelope: Mapping[str, str]) -> bytes:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra

        key_id, alg = envelope.get("key", ""), envelope.get("alg")
        cipher = self._ciphers.get(key_id)
        if alg != _ALG:
            raise CannotDecode(f"it was encoded by {alg!r}, which is not {_ALG}")
        if cipher is None:
            raise CannotDecode(f"it was encoded with key {key_id!r}, which is not there")
        try:
            sealed = base64.b64decode(envelope[SEALED], validate=True)
            return cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bound_to(key_id))
        except (InvalidTag, binascii.Error, ValueError, TypeError):
            raise CannotDecode("it was changed after it had been encoded") from None


def _bound_to(key_id: str) -> bytes:
    """What is authenticated besides the value."""
    return f"corvo-codec-1\0{key_id}".encode()


# Values


def encoded(codec: Codec, value: Any) -> Any:
    """A value as the server gets it. What is absent stays absent."""
    if value is None or value is msgspec.UNSET:
        return value
    return codec.encode(msgspec.json.encode(value))


def decoded(codec: Codec, value: Any) -> Any:
    """A value as it was before. What was not encoded stays as it is. Raises CannotDecode.

    A step of a chain, and the callback of a batch, get an object in which the server has put together what
    was encoded and what it adds itself: the decoded members are put in the place of the envelope's.
    """
    if not isinstance(value, dict):
        return value
    if not isinstance(value.get(SEALED), str):
        previous = value.get("previous_result")
        if isinstance(previous, dict) and SEALED in previous:
            return value | {"previous_result": decoded(codec, previous)}
        return value
    own = msgspec.json.decode(codec.decode({name: value[name] for name in _ENVELOPE if name in value}))
    added = {name: decoded(codec, other) for name, other in value.items() if name not in _ENVELOPE}
    if not added:
        return own
    together = added | (own if isinstance(own, dict) else {"payload": own})
    # As the server joins them: of a callback the counts win, of a step its own payload does.
    return together | ({"batch": added["batch"]} if "batch" in added else {})


# Requests and answers


def encoded_body(codec: Codec, body: Any) -> Any:
    """A request with every value in it encoded. What values hold is not looked into."""
    if isinstance(body, msgspec.Struct):
        body = {
            name: value for name, value in msgspec.structs.asdict(body).items() if value is not msgspec.UNSET
        }
    if not isinstance(body, Mapping):
        return body
    return {
        name: encoded(codec, value)
        if name in _VALUES
        else _encoded_inside(codec, value)
        if name in _INSIDE
        else value
        for name, value in body.items()
    }


def _encoded_inside(codec: Codec, value: Any) -> Any:
    """One of them, a list of them, or all by their ids."""
    if isinstance(value, Mapping):
        if all(isinstance(each, msgspec.Struct) for each in value.values()):
            return {name: encoded_body(codec, each) for name, each in value.items()}
        return encoded_body(codec, value)
    if isinstance(value, list | tuple):
        return [encoded_body(codec, each) for each in value]
    return value


def opened(codec: Codec, answer: T) -> T:
    """An answer with every value in it decoded. One that cannot be stays as it is: a list of jobs is of use
    even if the key of one of them is gone."""
    match answer:
        case msgspec.Struct():
            for name in answer.__struct_fields__:
                value = getattr(answer, name)
                if name not in _VALUES:
                    opened(codec, value)
                elif isinstance(value, dict):
                    msgspec.structs.force_setattr(answer, name, _opened_value(codec, value))
        case list():
            for each in answer:
                opened(codec, each)
    return answer


def _opened_value(codec: Codec, value: Any) -> Any:
    try:
        return decoded(codec, value)
    except CannotDecode as error:
        log.warning("a value cannot be decoded: %s", error)
        return value
