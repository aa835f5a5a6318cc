"""Query language: one line of text in, the filter of a search out.

    queue:emails state:dead,cancelled error~"timed out" payload.user.plan == "pro" age>1h

The CLI reads it here; the UI reads the same language in TypeScript. docs/reference/query-language.md has the
grammar, docs/reference/query-examples.json the examples that both must agree on.
"""

import json
import re
from typing import Any, Final

from corvo.core.errors import ValidationFailed
from corvo.core.query import fields
from corvo.core.scanner import INDEX, SPACES, STRING, Scanner

QUERY_CHARS_MAX: Final = 4_000

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TAG: Final = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_KEY: Final = re.compile(r"[A-Za-z0-9_]+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
#: A value without quotes ends at a space or a comma; free text only at a space.
_BARE: Final = re.compile(r'[^\s",]+')
_FREE: Final = re.compile(r'[^\s"]+')
_OPERATOR: Final = re.compile(r"==|!=|>=|<=|[:=~<>]")
_FUNCTION: Final = re.compile(r"(startswith|contains)[ \t]*\(")

_EQUAL: Final = frozenset({":", "=", "=="})


class QueryRefused(Exception):
    """The query cannot be read. The message says what was expected and at which character."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(f"{problem}, at character {at}")
        self.problem = problem
        #: Counted from 1.
        self.at = at


def parse(text: str, now_ns: int) -> dict[str, Any]:
    """The filter as JSON: members of POST /jobs/search. Times relative to `now_ns`. Raises QueryRefused."""
    if len(text) > QUERY_CHARS_MAX:
        raise QueryRefused(f"a query of more than {QUERY_CHARS_MAX} characters", QUERY_CHARS_MAX + 1)
    return _Parser(text, now_ns).query()


class _Parser(Scanner):
    def __init__(self, text: str, now_ns: int) -> None:
        super().__init__(text)
        self._now_ns = now_ns
        self._filter: dict[str, Any] = {}
        self._jq: list[str] = []

    def query(self) -> dict[str, Any]:
        while self._skip_to_more():
            self._term()
            if self._peek() and not self._peek().isspace():
                self._fail("expected a space")
        if self._jq:
            self._filter["payload_jq"] = " and ".join(self._jq)
        return self._filter

    def _term(self) -> None:
        start = self._at
        if self._peek() == '"':
            self._set("payload_contains", self._text_value(), start)
            return
        negated = self._peek() == "-"
        name = _NAME.match(self._text, start + negated)
        if name is None or not self._begins_field(name):
            self._free_text(start)
            return
        if negated and name[0] != "state":
            self._fail("only -state can be left out of a search", start)
        self._at = name.end()
        self._field(name[0], start, negated=negated)

    def _begins_field(self, name: re.Match[str]) -> bool:
        """`error ~ x` is a field, `error handling` is two words; `queue.a` is a word, `payload.a` is not."""
        after = self._text[name.end() : name.end() + 1]
        if name[0] in ("payload", "tag") and after and after in ".[":
            return True
        if after and after in ":=~<>!":
            return True
        following = self._text[name.end() :].lstrip(SPACES)
        return name[0] in fields.NAMES and _OPERATOR.match(following) is not None

    def _free_text(self, start: int) -> None:
        """A job's id, or text that the payload holds."""
        word = self._match(_FREE, "a field or text")
        found = fields.job_id(word) if fields.JOB_ID.match(word) else {"payload_contains": word}
        for member, value in found.items():
            self._set(member, value, start)

    def _field(self, name: str, start: int, *, negated: bool) -> None:
        if name == "payload" and self._peek() in tuple(".["):
            self._jq.append(self._payload_term())
            return
        if name == "tag" and self._peek() in tuple(".["):
            self._tag(start)
            return
        if name not in fields.NAMES or name == "tag":
            self._fail(f"there is no field {name}; to look for text, put it in double quotes", start)
        operator = self._operator()
        at = self._at
        values = self._values()
        if operator not in fields.operators_of(name):
            self._fail(f"{name} takes {' '.join(fields.operators_of(name))}, not {operator}", start)
        if len(values) > 1 and name != "state":
            self._fail(f"{name} takes one value", at)
        try:
            found = fields.read(name, operator, values, self._now_ns, negated=negated)
        except ValidationFailed as refusal:
            self._fail(refusal.message, at)
        for member, value in found.items():
            self._set(member, value, start)

    def _tag(self, start: int) -> None:
        if self._take("."):
            key = self._match(_TAG, "the name of a tag")
        else:
            self._expect("[")
            key = self._string()
            self._expect("]")
        if self._operator() not in _EQUAL:
            self._fail("a tag takes : and nothing else", start)
        tags: dict[str, str] = self._filter.setdefault("tags", {})
        if key in tags:
            self._fail(f"tag {key} is given twice", start)
        tags[key] = self._value()

    # Payload terms become jq

    def _payload_term(self) -> str:
        path = self._path()
        self._space()
        if self._take("|"):
            return path + self._function()
        operator = self._operator()
        if operator == "~":
            return f"{path} | contains({_json(self._value())})"
        return f"{path} {'==' if operator in _EQUAL else operator} {self._literal(operator)}"

    def _function(self) -> str:
        self._space()
        call = _FUNCTION.match(self._text, self._at)
        if call is not None:
            self._at = call.end()
            self._space()
            argument = self._string()
            self._space()
            self._expect(")")
            return f" | {call[1]}({_json(argument)})"
        if not self._take("length"):
            self._fail("expected startswith, contains or length")
        operator = self._operator()
        if operator == "~":
            self._fail("length is compared with a number")
        return f" | length {'==' if operator in _EQUAL else operator} {self._match(_NUMBER, 'a number')}"

    def _literal(self, operator: str) -> str:
        """A JSON literal; a bare word is taken for a string."""
        start = self._at
        if self._peek() == '"':
            return _json(self._string())
        word = self._match(_BARE, "a value")
        if word == "null" and operator in (">", ">=", "<", "<="):
            self._fail("null can only be compared by == and !=", start)
        if word in ("true", "false", "null") or _NUMBER.fullmatch(word):
            return word
        return _json(word)

    def _path(self) -> str:
        steps = ""
        while True:
            if self._take("."):
                steps += f".{self._match(_KEY, 'a name')}"
            elif self._take("["):
                # jq wants a dot before the first bracket.
                steps += f"{'' if steps else '.'}[{self._bracket()}]"
                self._expect("]")
            else:
                return steps

    def _bracket(self) -> str:
        if self._peek() == '"':
            return _json(self._string())
        return self._match(INDEX, "an index or a quoted key")

    # Values

    def _values(self) -> list[str]:
        values = [self._text_value()]
        while self._take(","):
            values.append(self._text_value())
        return values

    def _text_value(self) -> str:
        """Never empty: the server takes an empty filter for none, and would find every job."""
        start = self._at
        value = self._value()
        if not value:
            self._fail("the value is empty", start)
        return value

    def _value(self) -> str:
        return self._string() if self._peek() == '"' else self._match(_BARE, "a value")

    def _operator(self) -> str:
        self._space()
        operator = self._match(_OPERATOR, "one of : ~ == != > >= < <=")
        if operator != ":":
            self._space()
        return operator

    def _set(self, member: str, value: Any, start: int) -> None:
        if member in self._filter:
            self._fail(fields.twice(member), start)
        self._filter[member] = value

    # Characters

    def _string(self) -> str:
        start = self._at
        text = self._match(STRING, "a string in double quotes")
        try:
            value: str = json.loads(text)
        except ValueError:
            self._fail("this is not a JSON string", start)
        return value

    def refusal(self, problem: str, position: int) -> QueryRefused:
        return QueryRefused(problem, position)


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
