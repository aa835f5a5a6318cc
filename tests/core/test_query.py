"""The query language, against the examples that the UI's parser is tested with too."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.core.query.language import QUERY_CHARS_MAX, QueryRefused, parse
from corvo.core.times import parse_time_ns
from corvo.storage.mirror.search.request import SearchRequest

SHARED = json.loads((Path(__file__).parents[2] / "docs/reference/query-examples.json").read_text())
NOW_NS = parse_time_ns(SHARED["now"], "now")


@pytest.mark.parametrize("example", SHARED["examples"], ids=lambda example: example["query"])
def test_a_query_becomes_the_filter_of_a_search(example):
    assert parse(example["query"], NOW_NS) == example["filter"]


@pytest.mark.parametrize("example", SHARED["examples"], ids=lambda example: example["query"])
def test_the_server_accepts_every_filter(example):
    SearchRequest(**parse(example["query"], NOW_NS)).query()


@pytest.mark.parametrize("example", SHARED["refused"], ids=lambda example: example["query"])
def test_a_query_that_cannot_be_read_is_refused_where_it_goes_wrong(example):
    with pytest.raises(QueryRefused) as refused:
        parse(example["query"], NOW_NS)
    assert (refused.value.at, refused.value.problem) == (example["at"], example["problem"])


def test_a_query_has_a_longest_length():
    assert parse("x" * QUERY_CHARS_MAX, NOW_NS) == {"payload_contains": "x" * QUERY_CHARS_MAX}
    with pytest.raises(QueryRefused):
        parse("x" * (QUERY_CHARS_MAX + 1), NOW_NS)


@given(st.text(alphabet=' "-:=~<>!.,|()[]0aAstegpyloadqu\n\\é', max_size=40))
def test_any_text_is_either_read_or_refused(text):
    try:
        found = parse(text, NOW_NS)
    except QueryRefused as refused:
        assert 1 <= refused.at <= len(text) + 1
    else:
        assert "" not in [value for member, value in found.items() if member != "tags"]


@given(st.text(min_size=1).filter(lambda text: "\x00" not in text))
def test_any_value_can_be_written_as_a_string(text):
    assert parse(f"queue:{json.dumps(text)}", NOW_NS) == {"queue": text}
