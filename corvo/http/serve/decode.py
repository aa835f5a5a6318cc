"""Bytes from a client become typed structs, or an error with the path of what is wrong."""

import re
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar

import msgspec

from corvo.core.errors import CorvoError, ParseError, ValidationFailed
from corvo.http.serve.unknown_members import take_out
from corvo.http.wire.message import Request

Body = TypeVar("Body")

# "Expected `str`, got `int`" is the wrong type; "Expected `str` of length >= 1" is a value not allowed.
_WRONG_TYPE = re.compile(r"^Expected `[^`]+`, got `")


#: What a body can be refused for.
_FAILURES = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
#: How msgspec begins what it says of a member that a type does not know.
_UNKNOWN = "Object contains unknown field"


@cache
def _decoder(body_type: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(body_type)


def decode(request: Request, body_type: type[Body]) -> Body:
    """The body of a request as this type. An empty one counts as an empty object.

    Members that the type does not know are noted in the request's warnings, or refused: if the client is
    strict, or the type has STRICT set.
    """
    try:
        return _decode(request.body, body_type)
    except _FAILURES as error:
        known, warnings = _without_unknown(request.body, body_type, error)
    if request.is_strict or getattr(body_type, "STRICT", False):
        raise ValidationFailed("; ".join(warnings))
    request.warnings += warnings
    return _decode_again(known, body_type)


def decode_line(line: bytes, line_type: type[Body], *, strict: bool) -> tuple[Body, list[str]]:
    """A line of a stream as this type, and a sentence for each member that was ignored."""
    try:
        return _decode(line, line_type), []
    except _FAILURES as error:
        known, warnings = _without_unknown(line, line_type, error)
    if strict:
        raise ValidationFailed("; ".join(warnings))
    return _decode_again(known, line_type), warnings


def _decode(body: bytes, body_type: type[Body]) -> Body:
    # Parts kept as raw bytes are not looked into by the decoder, so the text is checked as a whole.
    if not body.isascii():
        body.decode()
    decoded: Body = _decoder(body_type).decode(body or b"{}")  # type: ignore[arg-type]  # a class is hashable
    return decoded


def _without_unknown(body: bytes, body_type: Any, error: Exception) -> tuple[bytes, list[str]]:
    """The body without unknown members, if nothing else is wrong with it; else what is wrong is raised."""
    if not str(error).startswith(_UNKNOWN):
        raise explain(error) from None
    return take_out(body, body_type)


def _decode_again(body: bytes, body_type: type[Body]) -> Body:
    try:
        return _decode(body, body_type)
    except _FAILURES as error:
        raise explain(error) from None


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
