"""Streams of one HTTP/2 connection that answer early, read slowly or vanish, and what the others notice."""

import asyncio

import pytest

from tests.http.api.test_stream import Http2, Talker
from tests.support.node import until

BIG = "x" * 20_000
FETCH = b'{"request_id":%d,"queues":["q"],"worker_id":"w","fetch_count":1}\n'


@pytest.fixture
async def big_jobs(client):
    await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": "q", "payload": BIG}] * 100})


async def test_answers_larger_than_the_window_get_through_while_many_lines_wait(client, big_jobs):
    """The client's window updates arrive behind the lines that the server does not want to read yet."""
    async with Http2(client) as http:
        for number in range(100):
            http.send(FETCH % number)
        answers = [await http.next() for _ in range(100)]
        assert [answer["request_id"] for answer in answers] == list(range(100))
        assert sum(len(answer["jobs"]) for answer in answers) == 100


async def test_a_stream_nobody_reads_does_not_hold_up_the_others(client, big_jobs):
    async with Http2(client) as http:
        http.stalled.add(http.open())
        for number in range(100):
            http.send(FETCH % number)
        await http.next()
        http.open()
        assert (await Talker(http).ask(enqueues=[{"queue": "other"}]))["enqueued_job_ids"]


async def test_a_client_that_vanishes_with_its_window_shut_leaves_nothing_behind(node, client, big_jobs):
    conversations = node.node._context.open_streams
    before = len(asyncio.all_tasks())
    async with Http2(client) as http:
        http.stalled.add(http.open())
        for number in range(100):
            http.send(FETCH % number)
        await http.next()
        assert conversations.count == 2
    await until(lambda: conversations.count == 0)
    await until(lambda: len(asyncio.all_tasks()) <= before)


async def test_what_comes_after_the_answer_does_not_break_the_connection(client):
    async with Http2(client) as http:
        http.send(b"nonsense\n" * 10)
        while await http.next() is not None:
            pass
        http.send(b"more nonsense\n")
        http.open()
        assert (await Talker(http).ask(enqueues=[{"queue": "q"}]))["enqueued_job_ids"]


async def test_bodies_nobody_wanted_do_not_use_up_the_window_of_the_connection(client):
    """Two megabytes for an address that does not exist, and then a request that has to get through."""
    async with Http2(client) as http:
        for _ in range(40):
            http.open("/nowhere")
            for _ in range(4):
                http.send(b"x" * 14_000)
            http.end()
            while await http.next() is not None:
                pass
        http.open()
        assert (await Talker(http).ask(enqueues=[{"queue": "q"}]))["enqueued_job_ids"]
