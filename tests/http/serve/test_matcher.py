"""Paths and the routes they lead to."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.http.api.table import routes
from corvo.http.serve.matcher import Matcher


def matcher(*targets):
    made = Matcher()
    for target in targets:
        made.add(*target.split(" "), target)
    return made


def found(made, method, path):
    match = made.find(method, path)
    return None if match is None else (match.found, match.params)


def test_names_in_braces_stand_for_one_segment():
    made = matcher("GET /jobs/{id}", "POST /jobs/{id}/retry", "POST /a/{b}/c/{d}")
    assert found(made, "GET", "/jobs/7") == ("GET /jobs/{id}", {"id": "7"})
    assert found(made, "POST", "/jobs/7/retry") == ("POST /jobs/{id}/retry", {"id": "7"})
    assert found(made, "POST", "/a/1/c/2") == ("POST /a/{b}/c/{d}", {"b": "1", "d": "2"})
    for path in ("/jobs", "/jobs/", "/jobs//retry", "/jobs/7/", "/jobs/7/8", "jobs/7", ""):
        assert found(made, "GET", path) is None
        assert found(made, "POST", path) is None


def test_a_path_as_it_is_goes_before_one_with_names_unless_it_does_not_take_the_method():
    made = matcher("POST /ack/batch", "POST /ack/{id}", "POST /jobs/search", "GET /jobs/{id}")
    assert found(made, "POST", "/ack/batch") == ("POST /ack/batch", {})
    assert found(made, "POST", "/ack/other") == ("POST /ack/{id}", {"id": "other"})
    assert found(made, "GET", "/jobs/search") == ("GET /jobs/{id}", {"id": "search"})
    assert made.methods("/jobs/search") == ["GET", "POST"]
    assert made.methods("/nothing") == []


def test_the_rest_of_a_path_may_hold_slashes():
    made = matcher("GET /ui/", "GET /ui/{path:path}")
    assert found(made, "GET", "/ui/") == ("GET /ui/", {})
    assert found(made, "GET", "/ui/a/b.js") == ("GET /ui/{path:path}", {"path": "a/b.js"})
    assert found(made, "GET", "/ui") is None


def test_nothing_is_declared_twice():
    with pytest.raises(AssertionError, match="is there already"):
        matcher("GET /a/{b}", "GET /a/{b}")


SEGMENTS = st.sampled_from(
    ["", "api", "v1", "jobs", "queues", "ack", "batch", "search", "bulk", "retry", "x"]
)


@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH"]),
    path=st.one_of(
        st.lists(SEGMENTS, max_size=6).map("/".join),
        # One of our own, with something in the place of each name.
        st.sampled_from(sorted({route.path for route in routes()})).flatmap(
            lambda template: SEGMENTS.map(lambda segment: re.sub(r"{[^}]*}", segment, template))
        ),
    ),
)
def test_the_matcher_finds_what_looking_at_every_route_finds(method, path):
    made = Matcher()
    for route in routes():
        made.add(route.method, route.path, route.path)
    fitting = [
        route.path
        for route in routes()
        if route.method == method and re.fullmatch(re.sub(r"{[^}]*}", "[^/]+", route.path), path)
    ]
    match = made.find(method, path)
    # Of several, the one with the fewest names.
    assert (None if match is None else match.found) == min(fitting, key=lambda p: p.count("{"), default=None)
    assert made.methods(path) == sorted({r.method for r in routes() if made.find(r.method, path) is not None})
