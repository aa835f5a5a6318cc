"""JSON that goes out as it was written. Read and printed anew it loses digits that Python cannot hold."""

import json
import os
import re
from collections.abc import Callable
from typing import Any, NoReturn

from corvo.cli.problems import Misused


class Written:
    """A part of a request's body."""

    def __init__(self, text: str) -> None:
        self.text = text


def written(text: str, what: str, hint: str = "") -> Written:
    """Of a text that somebody gave us as JSON, if it is some."""
    parse(text, what, hint, number=str)
    return Written(text)


def parse(text: str, what: str, hint: str = "", *, number: Callable[[str], Any] | None = None) -> Any:
    """The value of such a text; `number` makes one of its digits, if Python's own are not wanted."""
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


def encode(body: Any) -> bytes:
    """The body of a request. UnicodeEncodeError if it holds half a character."""
    texts: list[str] = []
    # Put where they belong afterwards: json can print values, not texts of them.
    mark = os.urandom(16).hex()

    def keep(value: Any) -> str:
        if not isinstance(value, Written):
            raise TypeError(f"{value!r} is not JSON")
        texts.append(value.text)
        return f"{mark}.{len(texts) - 1}"

    text = json.dumps(body, default=keep, ensure_ascii=False)
    if texts:
        text = re.sub(rf'"{mark}\.(\d+)"', lambda found: texts[int(found[1])], text)
    return text.encode()
