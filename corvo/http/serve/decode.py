"""Bytes from a client become typed structs, or an error with the path of what is wrong."""

import re
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar

import msgspec

from corvo.core.errors import CorvoError, ParseError, ValidationFailed

Body = TypeVar("Body")

# "Expected `str`, got `int`" is the wrong type; "Expected `str` of length >= 1" is a value not allowed.
_WRONG_TYPE = re.compile(r"^Expected `[^`]+`, got `")


@cache
def _decoder(body_type: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(body_type)


def decode(body: bytes, body_type: type[Body]) -> Body:
    """The body as this type. An empty one counts as an empty object."""
    try:
        # Parts kept as raw bytes are not looked into by the decoder, so the text is checked as a whole.
        if not body.isascii():
            body.decode()
        decoded: Body = _decoder(body_type).decode(body or b"{}")  # type: ignore[arg-type]  # a class is
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise explain(error) from None
    return decoded


def explain(error: Exception) -> CorvoError:
    match error:
        case msgspec.ValidationError() if _WRONG_TYPE.match(str(error)):
            return ParseError(str(error))
        case msgspec.ValidationError():
            return ValidationFailed(str(error))
        case UnicodeDecodeError():
            return ParseError(f"the body is not UTF-8: byte {error.start}")
        case RecursionError():
            return ParseError("the body is nested too deeply")
        case _:
            return ParseError(str(error))
