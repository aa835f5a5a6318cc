"""`payload_jq`: a small part of jq's language, parsed (docs/reference/search.md).

jq_sql.py turns it into SQL.

    expression  TERM ("and" TERM)*
    TERM        PATH OP LITERAL
                PATH "|" "startswith" "(" STRING ")"
                PATH "|" "contains" "(" STRING ")"
                PATH "|" "length" OP NUMBER
    PATH        "." KEY, then any number of "." KEY, "[" STRING "]", "[" n "]"; also ".[" at the start
    KEY         word characters, or a STRING
    OP          == != > >= < <=
    LITERAL     a JSON string, number, true, false or null

Everything else is refused, and the refusal says where.
"""

import re
from typing import Final

import msgspec

from corvo.core.errors import ValidationFailed
from corvo.core.scanner import INDEX, STRING, Scanner

EXPRESSION_CHARS_MAX: Final = 2_000
TERMS_MAX: Final = 20
STEPS_MAX: Final = 32

_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.])")
_OPERATOR: Final = re.compile(r"==|!=|>=|<=|>|<")

#: Keys into objects and indexes into arrays.
Path = tuple[str | int, ...]


class Compare(msgspec.Struct, frozen=True):
    path: Path
    operator: str
    #: The literal as JSON: numbers keep the spelling they were given.
    literal: str


class StartsWith(msgspec.Struct, frozen=True):
    path: Path
    text: str


class Contains(msgspec.Struct, frozen=True):
    path: Path
    text: str


class Length(msgspec.Struct, frozen=True):
    path: Path
    operator: str
    number: str


Term = Compare | StartsWith | Contains | Length


def parse(expression: str) -> tuple[Term, ...]:
    """The terms that must all hold. Raises ValidationFailed."""
    if len(expression) > EXPRESSION_CHARS_MAX:
        raise ValidationFailed(f"payload_jq: longer than {EXPRESSION_CHARS_MAX} characters")
    return _Parser(expression).expression()


class _Parser(Scanner):
    def expression(self) -> tuple[Term, ...]:
        terms = [self._term()]
        while self._skip_to_more():
            if not self._take_word("and"):
                self._fail("expected `and` or the end")
            if len(terms) == TERMS_MAX:
                self._fail(f"more than {TERMS_MAX} terms")
            terms.append(self._term())
        return tuple(terms)

    def _term(self) -> Term:
        path = self._path()
        self._space()
        if not self._take("|"):
            return self._comparison(path)
        self._space()
        if self._take_word("startswith"):
            return StartsWith(path, self._argument())
        if self._take_word("contains"):
            return Contains(path, self._argument())
        if not self._take_word("length"):
            self._fail("expected startswith, contains or length")
        operator = self._operator()
        return Length(path, operator, self._match(_NUMBER, "a number"))

    def _comparison(self, path: Path) -> Compare:
        operator = self._operator()
        start = self._at
        for word in ("true", "false", "null"):
            if self._take_word(word):
                if word == "null" and operator not in ("==", "!="):
                    self._fail("null can only be compared by == and !=", start)
                return Compare(path, operator, word)
        if self._peek() == '"':
            return Compare(path, operator, msgspec.json.encode(self._string()).decode())
        return Compare(path, operator, self._match(_NUMBER, "a string, a number, true, false or null"))

    def _operator(self) -> str:
        self._space()
        operator = self._match(_OPERATOR, "one of == != > >= < <=")
        self._space()
        return operator

    def _argument(self) -> str:
        self._space()
        self._expect("(")
        self._space()
        text = self._string()
        self._space()
        self._expect(")")
        return text

    # Paths

    def _path(self) -> Path:
        self._space()
        self._expect(".")
        steps: list[str | int] = [self._bracket() if self._take("[") else self._key()]
        while True:
            if self._take("."):
                steps.append(self._key())
            elif self._take("["):
                steps.append(self._bracket())
            else:
                return tuple(steps)
            if len(steps) > STEPS_MAX:
                self._fail(f"a path of more than {STEPS_MAX} steps")

    def _key(self) -> str:
        if self._peek() == '"':
            return self._quoted_key()
        return self._match(_NAME, "a name or a quoted key")

    def _bracket(self) -> str | int:
        self._space()
        step: str | int
        if self._peek() == '"':
            step = self._quoted_key()
        else:
            step = int(self._match(INDEX, "an index or a quoted key"))
        self._space()
        self._expect("]")
        return step

    def _quoted_key(self) -> str:
        start = self._at
        key = self._string()
        if '"' in key:
            # SQLite's paths have no way to write it.
            self._fail("a key with a quotation mark in it cannot be searched for", start)
        return key

    # Characters

    def _string(self) -> str:
        start = self._at
        text = self._match(STRING, "a string in double quotes")
        try:
            value = msgspec.json.decode(text, type=str)
        except msgspec.MsgspecError:
            self._fail("this is not a JSON string", start)
        if "\0" in value:
            self._fail("a string with a NUL in it cannot be searched for", start)
        return value

    def _take_word(self, word: str) -> bool:
        match = _NAME.match(self._text, self._at)
        if match is None or match[0] != word:
            return False
        self._at = match.end()
        return True

    def refusal(self, problem: str, position: int) -> ValidationFailed:
        return ValidationFailed(f"payload_jq: {problem}, at character {position}")
