"""Requests, made from what was read of them."""

import pytest

from corvo.http.wire.message import CLOSE, Response, read_query, request_of


@pytest.mark.parametrize(
    ("query", "read"),
    [
        (b"a=1&b=2", {"a": "1", "b": "2"}),
        (b"a=1&a=2", {"a": "1"}),
        (b"a=&b", {"a": "", "b": ""}),
        (b"a=%C3%A9+x", {"a": "é x"}),
        ("a=é".encode(), {"a": "é"}),
        (b"a=\xff", {"a": "�"}),
        (b"a=%FF", {"a": "�"}),
        (b"&&=", {"": ""}),
    ],
)
def test_a_query_is_read_in_one_way(query, read):
    assert read_query(query) == read


def test_a_request_keeps_its_query_as_it_came():
    request = request_of("GET", "/x", b"a=%41", {}, b"", {}, started_ns=1, peer="p")
    assert (request.query, request.query_string) == ({"a": "A"}, b"a=%41")
    assert request.is_http1


def test_an_answer_is_made_the_last_of_its_connection_once():
    response = Response(200)
    response.close_after()
    response.close_after()
    assert response.headers == [CLOSE]
    assert Response(200).headers == []
