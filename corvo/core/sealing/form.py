"""The form of sealed values. No cipher here: the state machine and the mirror handle such values unopened.

    sealed bytes   <1> <flags> <length of key id> <key id> <salt:16> <nonce:12> [<group:8>] <ciphertext, tag>
    sealed text    U+0001 and the same in base64url; of a long text twice, first its head, then the whole
    bundle         <2> <msgpack: parts>, what the state machine puts together without being able to read it

JSON begins with neither byte, so what is sealed can be told from what is not by looking at the first one.
"""

import enum
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import Final

import msgspec

from corvo.core.errors import SealDamaged
from corvo.core.splice import join, members

SEALED: Final = 1
BUNDLE: Final = 2
_MARKS: Final = (b"\x01", b"\x02")
_TEXT_MARK: Final = "\x01"
_TEXT_MARKS: Final = ("\x01", "\x02")

KEY_ID_BYTES_MAX: Final = 64
SALT_BYTES: Final = 16
NONCE_BYTES: Final = 12
GROUP_BYTES: Final = 8
TAG_BYTES: Final = 16

_BOUND: Final = 1
_GROUPED: Final = 2


class Field(enum.IntEnum):
    """What a value is to its job. A value sealed as one of them cannot be opened as another."""

    PAYLOAD = 1
    RESULT = 2
    CHECKPOINT = 3
    PROGRESS = 4
    ERROR = 5
    BACKTRACE = 6


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """A sealed value, taken apart."""

    key_id: str
    salt: bytes
    nonce: bytes
    #: Of an error: equal for errors of one group, and of no use without the key.
    group: bytes
    #: Whether it belongs to one job, rather than to jobs that are still to be made.
    is_bound: bool
    ciphertext: bytes
    #: Everything before the ciphertext; it is authenticated, too.
    head: bytes


def is_sealed(value: bytes | None) -> bool:
    # Compared as a whole: it is looked at for every job that is handed out, and a slice takes twice as long.
    return value is not None and b"\x01" <= value < b"\x03"


def is_sealed_text(text: str | None) -> bool:
    return text is not None and text[:1] in _TEXT_MARKS


def head(key_id: str, salt: bytes, nonce: bytes, *, is_bound: bool, group: bytes = b"") -> bytes:
    name = key_id.encode()
    flags = (_BOUND if is_bound else 0) | (_GROUPED if group else 0)
    return b"%c%c%c%b%b%b%b" % (SEALED, flags, len(name), name, salt, nonce, group)


def parse(value: bytes) -> Envelope:
    if len(value) < 3 or value[0] != SEALED or value[1] & ~(_BOUND | _GROUPED):
        raise SealDamaged("it does not have the form of a sealed value")
    flags, salt_at = value[1], 3 + value[2]
    nonce_at = salt_at + SALT_BYTES
    group_at = nonce_at + NONCE_BYTES
    end = group_at + (GROUP_BYTES if flags & _GROUPED else 0)
    if len(value) < end + TAG_BYTES:
        raise SealDamaged("it is cut short")
    try:
        key_id = value[3:salt_at].decode()
    except UnicodeDecodeError:
        raise SealDamaged("the id of its key is no text") from None
    return Envelope(
        key_id=key_id,
        salt=value[salt_at:nonce_at],
        nonce=value[nonce_at:group_at],
        group=value[group_at:end],
        is_bound=bool(flags & _BOUND),
        ciphertext=value[end:],
        head=value[:end],
    )


def digest_of(value: bytes) -> bytes:
    """Tells whether a stored value, sealed or not, is still the one that was seen."""
    return blake2b(value, digest_size=16).digest()


# Texts


def as_text(value: bytes) -> str:
    """Sealed bytes, or a bundle, where only text can stand. Its first character is their first byte."""
    return chr(value[0]) + urlsafe_b64encode(value).decode().rstrip("=")


def from_text(text: str) -> bytes:
    """The other way round; of a text that has a head, the whole."""
    encoded = text[1:].rpartition(_TEXT_MARK)[2]
    try:
        value = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except ValueError:
        raise SealDamaged("it is not base64") from None
    if value[:1] not in _MARKS:
        raise SealDamaged("it does not have the form of a sealed value")
    return value


def head_of_text(text: str, chars: int) -> str:
    """The first characters of a text; if it is sealed, the head that was sealed by itself."""
    if not is_sealed_text(text):
        return text[:chars]
    return text[0] + text[1:].partition(_TEXT_MARK)[0]


def group_of_text(text: str) -> str | None:
    """What errors of one group have in common, if anything; None if the text is not sealed after all."""
    if not is_sealed_text(text):
        return None
    try:
        return parse(from_text(text)).group.hex()
    except SealDamaged:
        return None


def key_ids_of(value: bytes) -> set[str]:
    """The keys it takes to open this value; none for one that cannot be read at all."""
    try:
        if value[:1] == b"\x02":
            inner = [part.data for part in parts_of(value) if part.field is not None]
            return set().union(*map(key_ids_of, inner))
        return {parse(from_text(value.decode()) if _is_text(value) else value).key_id}
    except (SealDamaged, UnicodeDecodeError):
        return set()


def _is_text(value: bytes) -> bool:
    """A flag follows the mark in sealed bytes, a letter in sealed text."""
    return value[1:2] > b"\x20"


# Bundles


class Part(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An object, or a sealed value that will be members of one."""

    data: bytes
    #: What it is and whose; None for an object that is not sealed.
    field: Field | None = None
    job_id: str = ""
    #: The name to put it under; None if its own members count.
    member: str | None = None


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[Part]).decode


def joined(*parts: Part) -> bytes:
    """The members of all of these in one object, as `splice.join` has it; a bundle if some are sealed."""
    if any(part.field is not None for part in parts):
        return _MARKS[1] + _encode(parts)
    return join(*(part.data for part in parts))


def object_part(value: bytes | None) -> Part:
    """A client's value as an object, as `splice.members` has it. Sealed values are opened to know which."""
    if value is not None and is_sealed(value):
        return Part(value, Field.PAYLOAD)
    return Part(members(value))


def member_part(name: str, value: bytes, field: Field, job_id: str) -> Part:
    """A client's value under a name."""
    if is_sealed(value):
        return Part(value, field, job_id, name)
    return Part(b'{"%b":%b}' % (name.encode(), value))


def parts_of(bundle: bytes) -> list[Part]:
    try:
        return _decode(memoryview(bundle)[1:])
    except msgspec.MsgspecError:
        raise SealDamaged("its parts cannot be told apart") from None
