"""What `payload_jq` means, said in Python: obviously right, and nothing like SQL."""

import json
import operator

from corvo.storage.mirror.search.jq import Compare, Contains, Length, StartsWith

_OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def matches(terms, document) -> bool:
    return all(_matches(term, _look_up(term.path, document)) for term in terms)


def _look_up(path, value):
    """What is there; None if it is missing, which is as good as null."""
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _matches(term, value) -> bool:
    match term:
        case Compare(operator=name, literal="null"):
            return (value is None) == (name == "==")
        case Compare(operator=name, literal=literal):
            wanted = _read(literal)
            return _kind(value) is _kind(wanted) and _OPERATORS[name](_number(value), _number(wanted))
        case StartsWith(text=text):
            return isinstance(value, str) and value.startswith(text)
        case Contains(text=text):
            if isinstance(value, list):
                return any(isinstance(element, str) and element == text for element in value)
            return isinstance(value, str) and text in value
        case Length(operator=name, number=number):
            size = 0 if value is None else len(value) if isinstance(value, str | list | dict) else None
            return size is not None and _OPERATORS[name](size, _number(_read(number)))


def _read(literal):
    return json.loads(literal)


def _kind(value):
    if isinstance(value, bool):
        return bool
    if isinstance(value, int | float):
        return float
    return str if isinstance(value, str) else type(value)


def _number(value):
    """SQLite's integers have 64 bits; what is larger is a float."""
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return float(value)
    return value
