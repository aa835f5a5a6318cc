"""`payload_jq` as SQL over SQLite's JSON functions, with every path and literal bound.

Comparison is typed: a number matches only numbers, a string only strings, true and false only booleans.
A value that is missing or null matches nothing but `== null`, and has length 0.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from corvo.storage.mirror.rows import spelled
from corvo.storage.mirror.search.binding import Binder
from corvo.storage.mirror.search.jq import Compare, Contains, Length, Path, StartsWith, Term

_OPERATORS: Final = {"==": "=", "!=": "<>", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
_BOOLEANS: Final = ("true", "false")


def condition(terms: Sequence[Term], payload: str, bind: Binder) -> str:
    """One condition on the column `payload`."""
    parts = [part for term in terms for part in _hints(term, payload, bind)]
    tests = " AND ".join(_test(term, payload, bind) for term in terms)
    # A JSON function fails the whole search over one payload that is not JSON, so it must not see it. Only
    # CASE promises an order of evaluation. The second CASE is for speed: behind WHEN, what follows a test
    # that failed is skipped; behind THEN, SQLite would parse every payload once more to know its kind.
    parts.append(f"CASE WHEN json_valid({payload}) THEN CASE WHEN {tests} THEN true END END")
    return " AND ".join(parts)


def _hints(term: Term, payload: str, bind: Binder) -> list[str]:
    """What must stand somewhere in the text for the term to hold: far cheaper to look for than to parse JSON.
    Payloads have one spelling in the mirror (rows.py), so this never turns away a match."""
    match term:
        case Compare(operator="==", literal=literal) if literal.startswith('"'):
            needle = f'"{spelled(msgspec.json.decode(literal, type=str))}"'
        case StartsWith(text=text):
            needle = f'"{spelled(text)}'
        case Contains(text=text) if text:
            needle = spelled(text)
        case _:
            return []
    return [f"instr({payload}, {bind(needle)}) > 0"]


def _test(term: Term, payload: str, bind: Binder) -> str:
    path = bind(_path(term.path))
    kind = f"json_type({payload}, {path})"
    value = f"json_extract({payload}, {path})"
    match term:
        case Compare():
            return _comparison(term, kind, value, bind)
        case StartsWith():
            text = bind(term.text)
            return f"({kind} = 'text' AND substr({value}, 1, length({text})) = {text})"
        case Contains():
            text = bind(term.text)
            return (
                f"CASE {kind}"  # noqa: S608 - our names
                f" WHEN 'text' THEN instr({value}, {text}) > 0"
                f" WHEN 'array' THEN EXISTS (SELECT 1 FROM json_each({payload}, {path}) AS e"
                f" WHERE e.type = 'text' AND e.atom = {text}) END"
            )
        case Length():
            return (
                f"CASE coalesce({kind}, 'null') WHEN 'null' THEN 0"  # noqa: S608 - our names
                f" WHEN 'text' THEN length({value})"
                f" WHEN 'array' THEN json_array_length({payload}, {path})"
                f" WHEN 'object' THEN (SELECT count(*) FROM json_each({payload}, {path})) END"
                f" {_OPERATORS[term.operator]} {_number(term.number, bind)}"
            )


def _comparison(term: Compare, kind: str, value: str, bind: Binder) -> str:
    # First the value, then its kind: few rows have the value.
    operator, literal = _OPERATORS[term.operator], term.literal
    if literal == "null":
        return f"coalesce({kind}, 'null') {operator} 'null'"
    if literal in _BOOLEANS:
        return f"({kind} IN ('true', 'false') AND {value} {operator} {int(literal == 'true')})"
    if literal.startswith('"'):
        text = bind(msgspec.json.decode(literal, type=str))
        return f"({value} {operator} {text} AND {kind} = 'text')"
    return f"({value} {operator} {_number(literal, bind)} AND {kind} IN ('integer', 'real'))"


def _number(literal: str, bind: Binder) -> str:
    # Read by the same code as the payload: two readers may disagree on the last digit, or on where integers
    # end. It is read once per statement, not per row.
    return f"json_extract({bind(literal)}, '$')"


def _path(path: Path) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f'."{spelled(step)}"' for step in path)
