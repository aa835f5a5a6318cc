"""Keyring: the keys of a node, sealing with the current one and opening with any (ADR 20).

Values are sealed by AES-256-GCM. Nonces of GCM must not repeat under one key, and random ones are too short
for the number of jobs a server sees in its life. So a key never encrypts by itself: each keyring draws a salt
and derives a key of its own from it, under which it counts. A reader derives it again from the salt in the
value.
"""

import hashlib
import hmac
import os
from functools import lru_cache
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from corvo.core.errors import SealDamaged, SealKeyMissing
from corvo.core.failures import failure_of
from corvo.core.limits import LAST_ERROR_CHARS
from corvo.core.sealing import form
from corvo.core.sealing.form import Field, Part
from corvo.core.splice import join, members

KEY_BYTES: Final = 32
#: Values under one salt: far from where a counter of 96 bits, or GCM, would have to worry.
_SALT_USES_MAX: Final = 1 << 31
#: Salts a keyring remembers the ciphers of: one per start of a node and key, as a rule.
_CIPHERS_KEPT: Final = 4_096
#: Missing keys that are counted one by one: who can write to the disk could name any number of them.
_MISSING_MAX: Final = 100

_encode_json: Final = msgspec.json.Encoder().encode


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a value belongs. It can be opened in no other place."""

    namespace: str
    field: Field
    #: Empty for what will be the payload of jobs to come: steps of chains, callbacks, schedules.
    job_id: str = ""

    def data(self) -> bytes:
        return b"\0".join((self.namespace.encode(), b"%d" % self.field, self.job_id.encode()))


class SealTally(msgspec.Struct):
    """What a node sealed and opened since it started."""

    sealed: int = 0
    opened: int = 0
    #: Values met whose key is not there, by its id, and values that were changed by somebody.
    missing: dict[str, int] = msgspec.field(default_factory=dict)
    damaged: int = 0


class SealKeyring:
    def __init__(
        self, keys: dict[str, bytes], current: str | None = None, tally: SealTally | None = None
    ) -> None:
        """Without a current key it only opens. The first key also makes digests, so that those of equal
        things are equal whichever key is current."""
        self._keys = keys
        self._current = current
        self.tally = tally or SealTally()
        self._cipher = lru_cache(_CIPHERS_KEPT)(self._derive)
        self._salt = os.urandom(form.SALT_BYTES)
        self._uses = 0
        first = next(iter(keys.values()), None)
        self._digest_key = b"" if first is None else _hkdf(first, b"", b"corvo digests 1")

    @property
    def key_ids(self) -> tuple[str, ...]:
        return tuple(self._keys)

    @property
    def current(self) -> str | None:
        return self._current

    @property
    def digest_key(self) -> bytes:
        """For digests of what clients sent, which may not be guessed by those who hold the data folder."""
        return self._digest_key

    # Sealing

    def seal(self, plain: bytes, place: Place, group: bytes = b"") -> bytes:
        key_id = self._current
        assert key_id is not None, "settings see to it that what seals has a current key"
        if self._uses >= _SALT_USES_MAX:
            self._salt, self._uses = os.urandom(form.SALT_BYTES), 0
        nonce = self._uses.to_bytes(form.NONCE_BYTES, "big")
        self._uses += 1
        self.tally.sealed += 1
        head = form.head(key_id, self._salt, nonce, is_bound=bool(place.job_id), group=group)
        return head + self._cipher(key_id, self._salt).encrypt(nonce, plain, head + place.data())

    def seal_text(self, text: str, place: Place) -> str:
        return form.as_text(self.seal(text.encode(), place))

    def seal_error(self, error: str, place: Place) -> str:
        """With its head by itself if it is long, and with what tells its group of failures."""
        group = self.digest(f"{place.namespace}\0{failure_of(error)}".encode())
        short = form.as_text(self.seal(error[:LAST_ERROR_CHARS].encode(), place, group))
        if len(error) <= LAST_ERROR_CHARS:
            return short
        return short + form.as_text(self.seal(error.encode(), place, group))

    def digest(self, data: bytes) -> bytes:
        return hmac.digest(self._digest_key, data, hashlib.sha256)[: form.GROUP_BYTES]

    # Opening

    def open(self, sealed: bytes, namespace: str, field: Field, job_id: str) -> bytes:
        """Raises SealKeyMissing or SealDamaged."""
        try:
            envelope = form.parse(sealed)
            if envelope.key_id not in self._keys:
                raise self._missing(envelope.key_id)
            place = Place(namespace, field, job_id if envelope.is_bound else "")
            cipher = self._cipher(envelope.key_id, envelope.salt)
            plain = cipher.decrypt(envelope.nonce, envelope.ciphertext, envelope.head + place.data())
        except (InvalidTag, SealDamaged):
            self.tally.damaged += 1
            raise SealDamaged(
                f"the {field.name.lower()} of {job_id or 'jobs to come'} was changed outside of the server, "
                "or belongs to another job"
            ) from None
        self.tally.opened += 1
        return plain

    def open_text(self, text: str, namespace: str, field: Field, job_id: str) -> str:
        return self.open(form.from_text(text), namespace, field, job_id).decode()

    def open_payload(self, value: bytes, namespace: str, job_id: str) -> bytes:
        """A payload is sealed as a whole, or is a bundle."""
        if value[0] == form.SEALED:
            return self.open(value, namespace, Field.PAYLOAD, job_id)
        return join(*(self._open_part(part, namespace) for part in form.parts_of(value)))

    def _open_part(self, part: Part, namespace: str) -> bytes:
        if part.field is None:
            return part.data
        if part.field is Field.ERROR:
            value = _encode_json(self.open_text(part.data.decode(), namespace, part.field, part.job_id))
        else:
            value = self.open(part.data, namespace, part.field, part.job_id)
        return members(value) if part.member is None else b'{"%b":%b}' % (part.member.encode(), value)

    def _missing(self, key_id: str) -> SealKeyMissing:
        counts = self.tally.missing
        if key_id in counts or len(counts) < _MISSING_MAX:
            counts[key_id] = counts.get(key_id, 0) + 1
        return SealKeyMissing(
            f"it is sealed with key {key_id!r}, which this node does not have; add it to --seal-keys",
            key_id=key_id,
        )

    def _derive(self, key_id: str, salt: bytes) -> AESGCM:
        return AESGCM(_hkdf(self._keys[key_id], salt, b"corvo sealing 1"))


def _hkdf(key: bytes, salt: bytes, purpose: bytes) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt, purpose).derive(key)
