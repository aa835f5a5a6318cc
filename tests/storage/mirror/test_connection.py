"""A reading connection: every statement ends, one way or another."""

import asyncio
import threading

import pytest

from corvo.storage.mirror.connection import OutOfTime, ReadConnection
from corvo.storage.mirror.database import Unusable
from corvo.storage.mirror.search.binding import Statement
from tests.storage.mirror.support import build_empty

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"


@pytest.fixture
async def connection(tmp_path):
    build_empty(tmp_path)
    connection = await ReadConnection.open(tmp_path / "mirror-1.db")
    yield connection
    connection.close()


def talk(*statements):
    """A conversation that returns what each statement brought."""
    brought = []
    for statement in statements:
        brought += [(yield statement)]
    return brought


async def test_rows_are_sent_back_to_who_asked(connection):
    brought = await connection.run(talk(Statement("SELECT 1, :a", {"a": "x"}), Statement("SELECT 2", {})), 5)
    assert brought == [[(1, "x")], [(2,)]]


@pytest.mark.parametrize("time_s", [1e-7, 1e-4, 0.01])
async def test_a_statement_without_end_is_cut_short(connection, time_s):
    for _ in range(3):
        with pytest.raises(OutOfTime):
            await connection.run(talk(Statement(ENDLESS, {})), time_s)
    assert await connection.run(talk(Statement("SELECT 1", {})), 5) == [[(1,)]]


async def test_a_statement_whose_time_is_over_before_it_begins_is_cut_short_as_well(connection):
    gate = threading.Event()
    occupied = asyncio.ensure_future(connection._connection._execute(gate.wait))
    running = asyncio.ensure_future(connection.run(talk(Statement(ENDLESS, {})), 0.01))
    await asyncio.wait([running], timeout=0.1)

    gate.set()

    with pytest.raises(OutOfTime):
        await asyncio.wait_for(running, timeout=5)
    await occupied


async def test_a_statement_that_runs_out_of_its_budget_brings_nothing(connection):
    brought = await connection.run(talk(Statement(ENDLESS, {}, budget_ms=1), Statement("SELECT 1", {})), 5)
    assert brought == [None, [(1,)]]


async def test_a_budget_does_not_prolong_the_time_of_the_whole(connection):
    with pytest.raises(OutOfTime):
        await connection.run(talk(Statement(ENDLESS, {}, budget_ms=60_000)), 0.01)


async def test_closing_ends_what_is_running(tmp_path):
    build_empty(tmp_path)
    connection = await ReadConnection.open(tmp_path / "mirror-1.db")
    running = asyncio.ensure_future(connection.run(talk(Statement(ENDLESS, {})), 60))
    await asyncio.wait([running], timeout=0.05)
    connection.close()
    with pytest.raises(OutOfTime):
        await running


async def test_what_is_no_mirror_is_not_opened(tmp_path):
    with pytest.raises(Unusable):
        await ReadConnection.open(tmp_path / "missing.db")
    (tmp_path / "garbage.db").write_bytes(b"garbage" * 1_000)
    with pytest.raises(Unusable):
        await ReadConnection.open(tmp_path / "garbage.db")
