"""`payload_jq`: what is understood, what is refused, and what matches what."""

import json
import sqlite3

import pytest

from corvo.core.errors import ValidationFailed
from corvo.storage.mirror.rows import text_of
from corvo.storage.mirror.search import jq, jq_sql
from corvo.storage.mirror.search.binding import Binder
from corvo.storage.mirror.search.jq import Compare, Contains, Length, StartsWith


@pytest.mark.parametrize(
    ("expression", "terms"),
    [
        (".a == 1", [Compare(("a",), "==", "1")]),
        ("  .a.b_2==-1.5e3 ", [Compare(("a", "b_2"), "==", "-1.5e3")]),
        ('.a != "x y"', [Compare(("a",), "!=", '"x y"')]),
        (".a >= true", [Compare(("a",), ">=", "true")]),
        (".a == null", [Compare(("a",), "==", "null")]),
        ('."a b"."c" < 2', [Compare(("a b", "c"), "<", "2")]),
        ('.["a"][0].b[12] > 0', [Compare(("a", 0, "b", 12), ">", "0")]),
        (".[0] == 1", [Compare((0,), "==", "1")]),
        (".0 == 1", [Compare(("0",), "==", "1")]),
        ('.a|startswith("x")', [StartsWith(("a",), "x")]),
        ('.a | contains ( "x\\n" )', [Contains(("a",), "x\n")]),
        (".a | length >= 2", [Length(("a",), ">=", "2")]),
        (".a == 1 and .b == 2 and .c==3", [Compare((k,), "==", v) for k, v in ("a1", "b2", "c3")]),
        (".and == 1 and .null == null", [Compare(("and",), "==", "1"), Compare(("null",), "==", "null")]),
        ('."\\u00e9" == 1', [Compare(("é",), "==", "1")]),
    ],
)
def test_expressions_that_are_understood(expression, terms):
    assert list(jq.parse(expression)) == terms


@pytest.mark.parametrize(
    ("expression", "position"),
    [
        ("", 1),
        ("a == 1", 1),
        (".", 2),
        (". == 1", 2),
        (".a", 3),
        (".a =", 4),
        (".a = 1", 4),
        (".a ==", 6),
        (".a == x", 7),
        (".a == 01", 7),
        (".a == 1.", 7),
        (".a == 1 or .b == 2", 9),
        (".a == 1 and", 12),
        (".a == 1 .b == 2", 9),
        (".a > null", 6),
        (".a <= null", 7),
        (".a | keys", 6),
        (".a | length", 12),
        (".a | length == null", 16),
        ('.a | startswith("x"', 20),
        (".a | startswith(1)", 17),
        (".a | contains('x')", 15),
        (".a..b == 1", 4),
        (".a[-1] == 1", 4),
        (".a[] == 1", 4),
        (".a[1 == 1", 6),
        ('.a == "x', 7),
        ('.a == "\\x"', 7),
        ('.a == "\\ud800"', 7),
        ('.a == "\\u0000"', 7),
        ('."a\\"b" == 1', 2),
        (".a == 1; DROP TABLE jobs", 8),
        (".a == 'x'", 7),
        ("(.a == 1)", 1),
        (".é == 1", 2),
    ],
)
def test_a_refusal_says_where(expression, position):
    with pytest.raises(ValidationFailed, match=rf"payload_jq: .*, at character {position}$"):
        jq.parse(expression)


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        (".a == 1" + " " * 2_000, "longer than 2000 characters"),
        (" and ".join([".a == 1"] * 21), "more than 20 terms"),
        (".a" * 33 + " == 1", "more than 32 steps"),
    ],
)
def test_expressions_are_limited(expression, what):
    with pytest.raises(ValidationFailed, match=what):
        jq.parse(expression)


def holds(expression, payload) -> bool:
    bind = Binder()
    condition = jq_sql.condition(jq.parse(expression), ":payload", bind)
    values = bind.values | {"payload": text_of(payload)}
    with sqlite3.connect(":memory:") as db:
        (answer,) = db.execute(f"SELECT ({condition}) IS TRUE", values).fetchone()
    db.close()
    return bool(answer)


@pytest.mark.parametrize(
    ("expression", "document", "expected"),
    [
        # Numbers match numbers, whatever their spelling.
        (".a == 1", {"a": 1}, True),
        (".a == 1", {"a": 1.0}, True),
        (".a == 1.0", {"a": 1}, True),
        (".a == 1", {"a": "1"}, False),
        (".a == 1", {"a": True}, False),
        (".a == 0.1", {"a": 0.1}, True),
        (".a > 9007199254740992", {"a": 9007199254740993}, True),
        (".a == 12345678901234567890", {"a": 12345678901234567890}, True),
        # Strings match strings, and are ordered by their characters.
        ('.a == "1"', {"a": "1"}, True),
        ('.a == "1"', {"a": 1}, False),
        ('.a > "a"', {"a": "b"}, True),
        ('.a > "Z"', {"a": "a"}, True),
        ('.a == "[1]"', {"a": [1]}, False),
        ('.a == "%"', {"a": "x"}, False),
        # Booleans match booleans; false comes before true.
        (".a == true", {"a": True}, True),
        (".a == true", {"a": 1}, False),
        (".a != true", {"a": False}, True),
        (".a < true", {"a": False}, True),
        # What is missing or null matches nothing but == null.
        (".a == null", {}, True),
        (".a == null", {"a": None}, True),
        (".a == null", {"a": 0}, False),
        (".a != null", {"a": 0}, True),
        (".a != null", {"a": None}, False),
        (".a != null", {}, False),
        (".a != 1", {}, False),
        (".a != 1", {"a": None}, False),
        (".a != 1", {"a": 2}, True),
        (".a != 1", {"a": "x"}, False),
        (".a < 1", {}, False),
        # Paths.
        (".a.b == 1", {"a": {"b": 1}}, True),
        (".a.b == 1", {"a": 1}, False),
        (".a.b == null", {"a": 1}, True),
        ('."a.b" == 1', {"a.b": 1}, True),
        ('."a b"["c[0]"] == 1', {"a b": {"c[0]": 1}}, True),
        ('."\\n" == 1', {"\n": 1}, True),
        ('."\\\\" == 1', {"\\": 1}, True),
        ('."é" == 1', {"é": 1}, True),
        ('."" == 1', {"": 1}, True),
        (".a[1] == 2", {"a": [1, 2]}, True),
        (".a[2] == 2", {"a": [1, 2]}, False),
        (".a[0] == 1", {"a": {"0": 1}}, False),
        (".a.0 == 1", {"a": [1]}, False),
        (".[1].x == 5", [0, {"x": 5}], True),
        # Functions.
        ('.a | startswith("ab")', {"a": "abc"}, True),
        ('.a | startswith("bc")', {"a": "abc"}, False),
        ('.a | startswith("")', {"a": ""}, True),
        ('.a | startswith("1")', {"a": 12}, False),
        ('.a | startswith("é")', {"a": "éa"}, True),
        ('.a | contains("b")', {"a": ["a", "b"]}, True),
        ('.a | contains("b")', {"a": ["ab"]}, False),
        ('.a | contains("1")', {"a": [1]}, False),
        ('.a | contains("b")', {"a": "abc"}, True),
        ('.a | contains("B")', {"a": "abc"}, False),
        ('.a | contains("%")', {"a": "abc"}, False),
        ('.a | contains("")', {"a": "abc"}, True),
        ('.a | contains("a")', {"a": {"a": 1}}, False),
        (".a | length == 2", {"a": [1, 2]}, True),
        (".a | length == 2", {"a": "äö"}, True),
        (".a | length == 2", {"a": {"x": 1, "y": 2}}, True),
        (".a | length == 0", {}, True),
        (".a | length == 0", {"a": None}, True),
        (".a | length == 0", {"a": False}, False),
        (".a | length > 0.5", {"a": [1]}, True),
        # And.
        (".a == 1 and .b == 2", {"a": 1, "b": 2}, True),
        (".a == 1 and .b == 2", {"a": 1, "b": 3}, False),
    ],
)
def test_what_matches_what(expression, document, expected):
    assert holds(expression, json.dumps(document).encode()) == expected
    assert holds(expression, json.dumps(document, ensure_ascii=False, indent=1).encode()) == expected


def test_a_payload_that_is_not_json_matches_nothing_and_breaks_nothing():
    for expression in (".a == null", ".a | length == 0", '.a == "x"'):
        assert not holds(expression, b'not "x" json')


def test_an_escaped_key_in_the_payload_is_the_same_key():
    assert holds('."é" == 1', rb'{"\u00e9":1}')
    assert holds('.a == "é/"', rb'{"a":"\u00e9\/"}')
