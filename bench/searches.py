"""What searches cost a client of a node with a million jobs (bench.backlog fills it)."""

import time
from typing import Any

from chaos.process import Client

_ROUNDS = 9
_WORDS_WAIT_S = 0.5
_SEARCH = "/api/v1/jobs/search"

#: Name, method, path, body, and what it may take in milliseconds.
_CASES: tuple[tuple[str, str, str, Any, int], ...] = (
    ("queue list", "GET", "/api/v1/queues", None, 10),
    ("page by queue and state", "POST", _SEARCH, {"queue": "q3", "state": ["pending"]}, 30),
    ("page of everything, newest first", "POST", _SEARCH, {}, 30),
    ("page by priority", "POST", _SEARCH, {"queue": "q3", "sort": "priority"}, 30),
    ("full text, one word", "GET", "/api/v1/search/fulltext?q=user4321", None, 100),
    ("full text, beginning of every address", "GET", "/api/v1/search/fulltext?q=user", None, 100),
    ("full text, no such word", "GET", "/api/v1/search/fulltext?q=nowhere", None, 100),
    ("jq over a queue of 100,000", "POST", _SEARCH, {"queue": "q3", "payload_jq": ".n == -1"}, 250),
)


def measure(client: Client) -> list[str]:
    """A line for each kind of search."""
    _await_mirror(client)
    return [f"  {name:40} {_median_ms(client, *call):7.1f}   target < {most}" for name, *call, most in _CASES]


def _await_mirror(client: Client) -> None:
    """What is measured here is the search, and not the wait for the mirror: a full-text search gives the
    indexing of words that are new up to half a second."""
    while True:
        began = time.perf_counter()
        _, found = client.call("GET", "/api/v1/search/fulltext?q=nowhere")
        took_s = time.perf_counter() - began
        _, status = client.call("GET", "/api/v1/cluster/status")
        mirror = status["sqlite_mirror"]
        if not mirror["lag"] and not mirror["stale"] and took_s < _WORDS_WAIT_S / 2:
            assert found["results"] == []
            return


def _median_ms(client: Client, method: str, path: str, body: Any) -> float:
    times = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        status, answer = client.call(method, path, body)
        times.append((time.perf_counter() - began) * 1_000)
        assert status == 200, answer
    return sorted(times)[_ROUNDS // 2]
