"""Every route, asked by every kind of caller, on every way in: answers.txt has what must come of it."""

from pathlib import Path

import pytest

from chaos.process import Server, free_port
from corvo.http.api.table import routes
from tests.http.access.callers import callers
from tests.http.access.lanes import LANES
from tests.http.access.requests import request_for
from tests.http.edges.choices import CHOICES
from tests.support.access import first_key
from tests.support.client import Client
from tests.support.node import running

_LINES = [
    line.split()
    for line in Path(__file__).with_name("answers.txt").read_text().splitlines()
    if line.strip() and not line.startswith("#")
]
COLUMNS = _LINES[0][2:]
ANSWERS = {f"{method} {path}": dict(zip(COLUMNS, cells, strict=True)) for method, path, *cells in _LINES[1:]}


def test_every_route_has_a_row():
    served = {f"{route.method} {route.path}" for route in routes()}
    assert served - ANSWERS.keys() == set(), "say in answers.txt who may have it"
    assert ANSWERS.keys() - served == set()


def test_only_what_is_public_lets_anybody_in():
    let_in = {route for route, row in ANSWERS.items() if row["nobody"] == "in"}
    assert let_in == {
        "GET /healthz",
        "GET /openapi.json",
        "GET /docs",
        "GET /api/v1/auth/status",
        "POST /api/v1/auth/login",
        "POST /api/v1/auth/logout",
        "GET /api/v1/auth/oidc/start",
        "GET /api/v1/auth/oidc/callback",
    }
    for row in ANSWERS.values():
        assert row["nobody"] == row["bad"] == row["expired"] == row["disabled"]
        assert row["admin"] == "in"


async def _asked(address, lane, who):
    """What is not as the table has it."""
    asked = [(route, caller) for route in ANSWERS for caller in COLUMNS]
    requests = [request_for(route, caller, who[caller]) for route, caller in asked]
    statuses = await LANES[lane](address, requests)
    wrong = []
    for (route, caller), status in zip(asked, statuses, strict=True):
        assert status not in (429, 500, 503), (route, caller, status)
        got = str(status) if status in (401, 403) else "in"
        if got != ANSWERS[route][caller]:
            wrong.append(f"{caller}: {route} is answered {status}, should be {ANSWERS[route][caller]}")
    return wrong


@pytest.mark.parametrize("lane", LANES)
async def test_each_caller_is_answered_as_the_table_says(tmp_path, lane):
    async with running(tmp_path / "data") as node:
        who = await callers(await first_key(node.client))
        assert list(who) == COLUMNS
        assert await _asked(node.address, lane, who) == []


@pytest.mark.slow
@pytest.mark.parametrize("choice", CHOICES)
async def test_every_edge_answers_alike(tmp_path, choice):
    flags = ("--durable", "off", "--raft-bind", "127.0.0.1:0", *CHOICES[choice].flags)
    server = Server(tmp_path / "data", free_port(), *flags)
    try:
        server.start()
        address = f"127.0.0.1:{server.port}"
        who = await callers(await first_key(Client(address)))
        for lane in LANES:
            assert await _asked(address, lane, who) == [], lane
    finally:
        server.close()
