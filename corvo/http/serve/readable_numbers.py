"""Readable numbers: what a client stores, every other client must be able to read.

JSON sets no limit to a number. Readers do: 1e999999 is infinite to most and an error to some, Python refuses
an integer of five thousand digits, and a reader that takes it all at its word needs minutes for a few bytes.
A job with such a number in it would break worker after worker, so it is refused where it comes in.

Nearly all JSON has none, and must not pay for it. Digits are made alike, and then a few searches for fixed
texts tell that there is nothing to look at.
"""

import re
from math import isinf
from typing import Final

from corvo.core.errors import ValidationFailed

#: Digits of a number, with all that is written of it.
DIGITS_MAX: Final = 1_000

#: Fewer digits than these, with an exponent of at most two more, are readable for sure.
_MANY: Final = 200
_ALIKE: Final = bytes.maketrans(b"123456789E", b"000000000e")
_SUSPICIOUS: Final = (b"0e000", b"0e+000")
_MANY_DIGITS: Final = b"0" * _MANY

_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NUMBER: Final = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SHOWN_BYTES: Final = 20


def check_numbers(data: bytes, field: str) -> None:
    """Raises ValidationFailed if there is a number in this JSON that not everybody can read."""
    alike = data.translate(_ALIKE)
    if _SUSPICIOUS[0] in alike or _SUSPICIOUS[1] in alike or (len(data) >= _MANY and _MANY_DIGITS in alike):
        _look(data, field)


def _look(data: bytes, field: str) -> None:
    for number in _NUMBER.findall(_STRING.sub(b'""', data)):
        if len(number) > DIGITS_MAX or isinf(float(number)):
            shown = number[:_SHOWN_BYTES].decode() + ("…" if len(number) > _SHOWN_BYTES else "")
            raise ValidationFailed(
                f"{field} holds the number {shown}, which many clients cannot read: it has more than "
                f"{DIGITS_MAX} digits, or is beyond 1.8e308. Send it as a string."
            )
