"""Exact JSON: numbers keep the digits they were written with, on the way to the server and back. Read and
printed by Python alone they would lose those that it cannot hold."""

import json
import os
import re
from collections.abc import Callable
from typing import Any, Final, NoReturn

from corvo.cli.problems import Misused

#: Whole numbers with more are not for counting; Python refuses to read those of some thousands.
_DIGITS_MAX: Final = 600
#: Stands for a text in what json prints, which takes values only. No text of a user's holds it.
_MARK: Final = os.urandom(16).hex()
_PLACE: Final = re.compile(rf'"{_MARK}\.(\d+)"')


class ExactJson:
    """A part of a request's body."""

    def __init__(self, text: str) -> None:
        self.text = text


class Number(float):
    """A part of an answer: to be counted with like any other, and printed as it came."""

    def __new__(cls, digits: str) -> "Number":
        number = super().__new__(cls, digits)
        number.digits = digits
        return number

    digits: str

    def __repr__(self) -> str:
        return self.digits


def written(text: str, what: str, hint: str = "") -> ExactJson:
    """A text that the user gave as JSON. Raises Misused if it is none."""
    parse(text, what, hint, number=str)
    return ExactJson(text)


def parse(text: str, what: str, hint: str = "", *, number: Callable[[str], Any] | None = None) -> Any:
    """The value of a text that the user gave; `number` reads its numbers, if not as Python does."""
    try:
        text.encode()
        return json.loads(text, parse_int=number, parse_float=number, parse_constant=_refuse)
    except UnicodeEncodeError:
        raise Misused(f"{what} is not UTF-8") from None
    except RecursionError:
        raise Misused(f"{what} is nested too deeply") from None
    except ValueError as error:
        raise Misused(f"{what} is not JSON: {error}", hint) from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def read(text: str | bytes) -> Any:
    """The value of a text that the server sent. ValueError if it is no JSON."""
    return json.loads(text, parse_int=_whole, parse_float=Number)


def _whole(digits: str) -> int | Number:
    # Python's whole numbers know no minus before a zero.
    return Number(digits) if digits == "-0" or len(digits) > _DIGITS_MAX else int(digits)


def encode(body: Any) -> bytes:
    """The body of a request. UnicodeEncodeError if it holds half a character."""
    return dump(body).encode()


def dump(value: Any, *, indent: int | None = None, ascii_only: bool = False) -> str:
    texts: list[str] = []

    def keep(part: Any) -> str:
        if not isinstance(part, ExactJson):
            raise TypeError(f"{part!r} is not JSON")
        texts.append(part.text)
        return f"{_MARK}.{len(texts) - 1}"

    text = json.dumps(_as_written(value), default=keep, indent=indent, ensure_ascii=ascii_only)
    return _PLACE.sub(lambda found: texts[int(found[1])], text) if texts else text


def _as_written(value: Any) -> Any:
    """The value with texts for its numbers, which json would print as Python does."""
    match value:
        case Number():
            return ExactJson(value.digits)
        case dict():
            return {name: _as_written(member) for name, member in value.items()}
        case list():
            return [_as_written(member) for member in value]
    return value
