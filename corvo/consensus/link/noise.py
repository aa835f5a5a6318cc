"""Noise, the encryption of the node link: without the cluster's secret nothing on it can be read or said.

    connection -> [noise] -> frames ~~~ frames -> [noise] -> connection

This is Noise_NNpsk0_25519_ChaChaPoly_SHA256 (noiseprotocol.org, revision 34): a fresh key exchange per
connection, mixed with a key made from the secret. Recording the traffic is of no use even to an attacker
who learns the secret later. Every frame has its number in its seal, so none can be repeated, dropped or
swapped.
"""

import hashlib
import hmac
from struct import Struct
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

SECRET_CHARS_MIN: Final = 16
#: What encryption adds to a frame.
TAG_BYTES: Final = 16

_NAME: Final = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
_PROLOGUE: Final = b"corvo node link 1"
_NONCE = Struct("<4xQ")
_KEY_BYTES: Final = 32
# Slow on purpose: an attacker who records a handshake must not be able to try many secrets.
_STRETCH: Final = {"n": 1 << 14, "r": 8, "p": 1, "maxmem": 64 * 1024 * 1024, "dklen": _KEY_BYTES}


class NoiseFailed(Exception):
    """The other side does not know the secret, or the bytes were altered on the way."""


def key_of(secret: str) -> bytes:
    """The key made from a secret. Takes a moment; done once per node."""
    assert len(secret) >= SECRET_CHARS_MIN
    return hashlib.scrypt(secret.encode(), salt=_PROLOGUE, **_STRETCH)


class NoiseCipher:
    """Encrypts what is said after the handshake. One direction has one key and counts its own frames."""

    def __init__(self, ours: bytes, theirs: bytes) -> None:
        self._ours = ChaCha20Poly1305(ours)
        self._theirs = ChaCha20Poly1305(theirs)
        self._sent = 0
        self._received = 0

    def close_up(self, body: bytes) -> bytes:
        sealed = self._ours.encrypt(_NONCE.pack(self._sent), body, None)
        self._sent += 1
        return sealed

    def open_up(self, sealed: bytes) -> bytes:
        try:
            body = self._theirs.decrypt(_NONCE.pack(self._received), sealed, None)
        except InvalidTag:
            raise NoiseFailed("a frame was altered, or sealed with another secret") from None
        self._received += 1
        return body


class Handshake:
    """Two messages, one each way, then `seal`. The dialler begins.

    They carry nothing: a first message can be replayed by anyone, so names are exchanged later, encrypted.
    A dialler speaks under the first key. A listener hears it under any of its keys, so that nodes with the
    old secret and nodes with the new one understand each other while the secret is changed.
    """

    def __init__(self, *keys: bytes, is_dialler: bool) -> None:
        self._is_dialler = is_dialler
        self._own = X25519PrivateKey.generate()
        self._keys = keys
        self._begin(keys[0])

    def _begin(self, key: bytes) -> None:
        self._hash = hashlib.sha256(_NAME).digest()
        self._chain = self._hash
        self._mix_hash(_PROLOGUE)
        self._chain, mixed, self._key = _derive(self._chain, key, 3)
        self._mix_hash(mixed)

    @property
    def transcript(self) -> bytes:
        """After both have spoken: the same on both sides, and never again on any other connection."""
        return self._hash

    def say(self) -> bytes:
        """Our half. The listener's comes after it has heard the dialler's."""
        public = self._own.public_key().public_bytes_raw()
        self._mix_public(public)
        if not self._is_dialler:
            self._mix_exchange()
        tag = ChaCha20Poly1305(self._key).encrypt(_NONCE.pack(0), b"", self._hash)
        self._mix_hash(tag)
        return public + tag

    def hear(self, message: bytes) -> None:
        """The other's half. Raises NoiseFailed."""
        if len(message) != _KEY_BYTES + TAG_BYTES:
            raise NoiseFailed("it does not speak under the cluster's secret")
        public, tag = message[:_KEY_BYTES], message[_KEY_BYTES:]
        self._theirs = X25519PublicKey.from_public_bytes(public)
        if self._is_dialler:
            is_heard = self._hear_under_key(public, tag)
        else:
            is_heard = any(self._hear_anew(key, public, tag) for key in self._keys)
        if not is_heard:
            raise NoiseFailed("it knows another secret")

    def _hear_anew(self, key: bytes, public: bytes, tag: bytes) -> bool:
        self._begin(key)
        return self._hear_under_key(public, tag)

    def _hear_under_key(self, public: bytes, tag: bytes) -> bool:
        self._mix_public(public)
        if self._is_dialler:
            self._mix_exchange()
        try:
            ChaCha20Poly1305(self._key).decrypt(_NONCE.pack(0), tag, self._hash)
        except InvalidTag:
            return False
        self._mix_hash(tag)
        return True

    def seal(self) -> NoiseCipher:
        first, second = _derive(self._chain, b"", 2)
        return NoiseCipher(first, second) if self._is_dialler else NoiseCipher(second, first)

    def _mix_hash(self, data: bytes) -> None:
        self._hash = hashlib.sha256(self._hash + data).digest()

    def _mix_public(self, public: bytes) -> None:
        self._mix_hash(public)
        self._chain, self._key = _derive(self._chain, public, 2)

    def _mix_exchange(self) -> None:
        try:
            shared = self._own.exchange(self._theirs)
        except ValueError:
            raise NoiseFailed("its key is no key") from None
        self._chain, self._key = _derive(self._chain, shared, 2)


def _derive(chain: bytes, material: bytes, count: int) -> list[bytes]:
    """HKDF as Noise has it: so many keys from the chain so far and something new."""
    pseudo = hmac.digest(chain, material, "sha256")
    keys: list[bytes] = []
    last = b""
    for number in range(1, count + 1):
        last = hmac.digest(pseudo, last + bytes([number]), "sha256")
        keys.append(last)
    return keys
