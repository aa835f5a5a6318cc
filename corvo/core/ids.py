"""Identifiers: a prefix and a monotonic ULID (48 bits of milliseconds, 80 random bits, Crockford base 32).

Ids made within one millisecond by one source count upwards, so that ids sort in the order they
were made. Ids of jobs made inside the state machine cannot use chance or a clock: `derived` makes
them from the place in the log, and all replicas agree on them.
"""

import secrets
from collections.abc import Callable

from corvo.core.clock import NS_PER_MS, Clock

#: About what an id takes where it is stored or sent.
ID_BYTES = 32

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_CHARS = 26

#: Two characters at a time halves the work of spelling an id.
_PAIRS = tuple(a + b for a in _ALPHABET for b in _ALPHABET)


def _spell(value: int) -> str:
    """26 characters of base 32, most significant first."""
    pairs = _PAIRS
    return "".join(
        [
            pairs[(value >> 120) & 1023],
            pairs[(value >> 110) & 1023],
            pairs[(value >> 100) & 1023],
            pairs[(value >> 90) & 1023],
            pairs[(value >> 80) & 1023],
            pairs[(value >> 70) & 1023],
            pairs[(value >> 60) & 1023],
            pairs[(value >> 50) & 1023],
            pairs[(value >> 40) & 1023],
            pairs[(value >> 30) & 1023],
            pairs[(value >> 20) & 1023],
            pairs[(value >> 10) & 1023],
            pairs[value & 1023],
        ]
    )


#: Ids that count upwards differ in their last characters: these are spelled anew each time, the rest is kept.
_TAIL_BITS = 20
_TAIL_MASK = (1 << _TAIL_BITS) - 1
_HEAD_CHARS = _CHARS - _TAIL_BITS // 5


class IdSource:
    """Makes new ids on one node."""

    def __init__(self, clock: Clock, random_bits: Callable[[int], int] = secrets.randbits) -> None:
        self._clock = clock
        self._random_bits = random_bits
        self._last_ms = -1
        self._last = 0
        self._head = -1
        self._head_text = ""

    def new(self, prefix: str) -> str:
        now_ms = self._clock.now_ns() // NS_PER_MS
        if now_ms > self._last_ms:
            self._last_ms = now_ms
            # The top random bit stays clear, so a millisecond has room to count upwards in.
            self._last = (now_ms << _RANDOM_BITS) | self._random_bits(_RANDOM_BITS - 1)
        else:
            # Same millisecond, or the clock went back: keep counting so that order is never lost.
            self._last += 1
        head, tail = self._last >> _TAIL_BITS, self._last & _TAIL_MASK
        if head != self._head:
            self._head = head
            self._head_text = _spell(self._last)[:_HEAD_CHARS]
        return f"{prefix}_{self._head_text}{_PAIRS[tail >> 10]}{_PAIRS[tail & 1023]}"


def earliest(prefix: str, at_ms: int) -> str:
    """No id made at this time or later sorts before it."""
    return f"{prefix}_{_spell(max(0, at_ms) << _RANDOM_BITS)}"


def made_ms(made_id: str) -> int:
    """When an id was made. Raises ValueError if it is not an id."""
    value = 0
    for char in made_id.rpartition("_")[2][:10]:
        value = value << 5 | _ALPHABET.index(char)
    return value


def derived(prefix: str, now_ns: int, index: int, ordinal: int) -> str:
    """The id of something made in the state machine: the same on every replica, unique by its place.

    Of the 80 bits that are random elsewhere the index takes 55 and the ordinal 24; the top bit is set, which
    `IdSource` never sets, so the two kinds cannot meet.
    """
    assert 0 <= index < 1 << 55
    assert 0 <= ordinal < 1 << 24
    place = (1 << 79) | (index << 24) | ordinal
    return f"{prefix}_{_spell(((now_ns // NS_PER_MS) << _RANDOM_BITS) | place)}"
