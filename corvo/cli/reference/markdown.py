"""What all printed pages have in common: the note at their top, tables, and text that is safe in them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

MADE: Final = "<!-- Printed by `make docs`. Change the code, not this page. -->"

_FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")
_CODE = re.compile(r"\b([A-Z]+(?:_[A-Z]+)+|OVERLOADED)\b")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns whose name ends in a colon are aligned to the right."""
    lines = ["| " + " | ".join(column.rstrip(":") for column in columns) + " |"]
    lines.append("| " + " | ".join("---:" if column.endswith(":") else "---" for column in columns) + " |")
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def escape(text: str) -> str:
    """As part of a cell."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def marked(text: str) -> str:
    """Options, variables and error codes in a sentence look like what they are."""
    parts = text.split("`")
    # What is between two backticks is code already.
    parts[::2] = [_CODE.sub(r"`\1`", _FLAG.sub(r"`\1`", part)) for part in parts[::2]]
    return "`".join(parts)


def anchor(heading: str) -> str:
    """What a link to this heading ends in, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", text)


def wrapped(words: Iterable[str], width: int = 118) -> Iterator[str]:
    """Words on lines of a page. A word is not broken, and may have spaces in it."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line
