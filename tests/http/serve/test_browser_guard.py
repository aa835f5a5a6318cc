"""Whom a request was meant for, and which page sent it."""

import socket

import pytest

from corvo.config import Config, ConfigError, load
from corvo.core.errors import HostNotAllowed, OriginNotAllowed
from corvo.http.serve.browser_guard import BrowserGuard

LOCAL = {"bind": "127.0.0.1:8080"}
NAMED = {"bind": "10.1.2.3:8080", "allowed_hosts": "corvo.example.com, *.corvo.test, 10.9.9.9"}
OPEN = {"bind": "0.0.0.0:8080", "http_advertise": "corvo-0.corvo:8080", "discover_dns_name": "corvo"}
SIX = {"bind": "[2001:db8::1]:8080"}
BEHIND = {"cors_origin": "https://app.example, http://localhost:3000"}


def refusal(config, headers, method="GET", path="/api/v1/queues", target=None, scheme="http"):
    guard = BrowserGuard(Config(**config))
    fields = [(name.encode(), value.encode()) for name, value in headers]
    try:
        # Twice, because the guard remembers.
        for _ in range(2):
            guard.check(method, path, target or path, fields, scheme)
    except (HostNotAllowed, OriginNotAllowed) as error:
        assert not guard.trusts(dict(fields)) or target is not None or len(fields) > len(dict(fields))
        return error.code
    is_plain = not {"origin", "sec-fetch-site"} & dict(headers).keys()
    assert guard.trusts(dict(fields)) == is_plain
    return None


@pytest.mark.parametrize(
    ("config", "host"),
    [
        (LOCAL, "localhost"),
        (LOCAL, "LocalHost.:99"),
        (LOCAL, "127.0.0.1:8080"),
        (LOCAL, "127.1.2.3"),
        (LOCAL, "[::1]:8080"),
        (LOCAL, "[::ffff:127.0.0.1]:1"),
        (NAMED, "10.1.2.3"),
        (NAMED, "localhost:1"),
        (NAMED, "corvo.example.com"),
        (NAMED, "CORVO.example.com:443"),
        (NAMED, "a.b.corvo.test"),
        (NAMED, "10.9.9.9:1"),
        (OPEN, "corvo-0.corvo:8080"),
        (OPEN, "corvo:8080"),
        (OPEN, socket.gethostname()),
        # A page under a name of its own cannot send a number as its host.
        (OPEN, "192.0.2.7:8080"),
        (OPEN, "[2001:db8::2]:8080"),
        (SIX, "[2001:0db8::1]:8080"),
    ],
)
def test_a_node_answers_for_its_own_names(config, host):
    assert refusal(config, [("host", host)]) is None


@pytest.mark.parametrize(
    ("config", "host"),
    [
        (LOCAL, "evil.example"),
        (LOCAL, "localhost.evil.example"),
        (LOCAL, "evil.localhost"),
        (LOCAL, "10.1.2.3"),
        (LOCAL, "0.0.0.0:8080"),
        (LOCAL, ""),
        (LOCAL, "localhost:"),
        (LOCAL, "localhost:x"),
        (LOCAL, "user@localhost"),
        (LOCAL, "localhost:80@evil.example"),
        (LOCAL, "localhost, evil.example"),
        (LOCAL, "localhost/"),
        (LOCAL, "127.0.0.1.evil.example"),
        (LOCAL, "2130706433"),
        (LOCAL, "\u017focalhost"),
        (NAMED, "corvo.test"),
        (NAMED, "evilcorvo.test"),
        (NAMED, "example.com"),
        (OPEN, "evil.example"),
        (OPEN, "corvo-1.corvo"),
    ],
)
def test_a_node_does_not_answer_for_other_names(config, host):
    assert refusal(config, [("host", host)]) == "HOST_NOT_ALLOWED"


def test_a_host_has_to_be_named_and_once():
    assert refusal(LOCAL, []) == "HOST_NOT_ALLOWED"
    assert refusal(LOCAL, [("host", "localhost"), ("host", "localhost")]) == "HOST_NOT_ALLOWED"
    assert refusal(LOCAL, [("host", "localhost"), ("host", "evil.example")]) == "HOST_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("http://localhost:8080/api/v1/queues", None),
        ("http://evil.example/api/v1/queues", "HOST_NOT_ALLOWED"),
        ("http://localhost@evil.example/", "HOST_NOT_ALLOWED"),
        ("http:///api/v1/queues", "HOST_NOT_ALLOWED"),
    ],
)
def test_an_address_in_the_request_line_has_to_be_the_nodes_own(target, code):
    assert refusal(LOCAL, [("host", "localhost:8080")], target=target) == code


@pytest.mark.parametrize(
    ("host", "origin", "scheme"),
    [
        ("localhost:8080", "http://localhost:8080", "http"),
        ("127.0.0.1", "http://127.0.0.1", "http"),
        ("127.0.0.1:80", "http://127.0.0.1", "http"),
        # A proxy speaks TLS for the node.
        ("localhost", "https://localhost", "http"),
        ("localhost:443", "https://localhost", "http"),
        ("localhost:8443", "https://localhost:8443", "https"),
        ("localhost", "https://app.example", "http"),
        ("localhost:8080", "http://localhost:3000", "http"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_the_nodes_own_pages_and_those_listed_may_call_it(host, origin, scheme, method):
    headers = [("host", host), ("origin", origin), ("sec-fetch-site", "same-origin")]
    assert refusal(BEHIND, headers, method, scheme=scheme) is None


@pytest.mark.parametrize(
    ("origin", "scheme"),
    [
        ("http://evil.example", "http"),
        ("null", "http"),
        ("", "http"),
        ("http://localhost", "http"),
        ("http://localhost:8081", "http"),
        ("http://127.0.0.1:8080", "http"),
        ("http://localhost:8080/", "http"),
        ("http://localhost:8080@evil.example", "http"),
        ("ftp://localhost:8080", "http"),
        ("http://localhost:8080", "https"),
        ("https://app.example:444", "http"),
        ("http://app.example", "http"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_other_pages_may_not(origin, scheme, method):
    headers = [("host", "localhost:8080"), ("origin", origin)]
    assert refusal(BEHIND, headers, method, scheme=scheme) == "ORIGIN_NOT_ALLOWED"
    headers += [("sec-fetch-site", "same-origin")]
    assert refusal(BEHIND, headers, method, scheme=scheme) == "ORIGIN_NOT_ALLOWED"


def test_a_page_of_another_site_may_not_even_without_an_origin():
    for site, code in (("cross-site", "ORIGIN_NOT_ALLOWED"), ("same-origin", None), ("none", None)):
        assert refusal(LOCAL, [("host", "localhost"), ("sec-fetch-site", site)]) == code
    with_all = {"cors_origin": "*"}
    assert refusal(with_all, [("host", "localhost"), ("sec-fetch-site", "cross-site")]) is not None
    asked = [("host", "localhost"), ("sec-fetch-site", "cross-site"), ("origin", "https://a.example")]
    assert refusal(with_all, asked) is None


@pytest.mark.parametrize(
    ("method", "path", "mode", "dest", "code"),
    [
        ("GET", "/", "navigate", "document", None),
        ("GET", "/ui", "navigate", "document", None),
        ("GET", "/ui/jobs/job_1", "navigate", "document", None),
        ("GET", "/docs", "navigate", "document", None),
        ("GET", "/docs", "navigate", "iframe", "ORIGIN_NOT_ALLOWED"),
        ("GET", "/ui/", "no-cors", "script", "ORIGIN_NOT_ALLOWED"),
        ("POST", "/ui/", "navigate", "document", "ORIGIN_NOT_ALLOWED"),
        ("GET", "/api/v1/queues", "navigate", "document", "ORIGIN_NOT_ALLOWED"),
        ("GET", "/uix", "navigate", "document", "ORIGIN_NOT_ALLOWED"),
    ],
)
def test_a_link_on_another_site_leads_to_pages_and_to_nothing_else(method, path, mode, dest, code):
    headers = [
        *(("host", "localhost"), ("sec-fetch-site", "cross-site")),
        *(("sec-fetch-mode", mode), ("sec-fetch-dest", dest)),
    ]
    assert refusal(LOCAL, headers, method, path) == code


def test_what_is_remembered_of_hosts_is_bounded():
    guard = BrowserGuard(Config())
    for port in range(2_000):
        assert guard.trusts({b"host": b"localhost:%d" % port})
        assert not guard.trusts({b"host": b"evil.example:%d" % port})
    assert len(guard._good) <= 256


@pytest.mark.parametrize(
    "flags",
    [
        {"allowed_hosts": "http://corvo.example.com"},
        {"allowed_hosts": "corvo.example.com:80"},
        {"allowed_hosts": "*"},
        {"allowed_hosts": "a.*.example"},
        {"cors_origin": "app.example"},
        {"cors_origin": "https://app.example/"},
        {"cors_origin": "https://app.example,*"},
        {"cors_origin": "null"},
    ],
)
def test_a_list_that_cannot_mean_what_it_says_is_refused(flags):
    with pytest.raises(ConfigError, match=next(iter(flags))):
        load(flags, {})
