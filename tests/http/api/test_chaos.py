"""The debug calls of --chaos: there when asked for, and otherwise nowhere."""

import asyncio

import pytest

from corvo.actors.status import GetStatus
from corvo.config import ConfigError, load
from tests.support.node import running, until


async def test_without_the_flag_there_is_nothing(client):
    assert (await client.post("/api/v1/debug/kill-actor", {"actor": "batcher"})).status == 404
    assert (await client.get("/api/v1/debug/actors")).status == 404


async def test_an_actor_that_is_killed_is_made_anew_and_the_node_goes_on(tmp_path):
    async with running(tmp_path / "data", chaos=True) as node:
        client = node.client
        assert (await client.get("/api/v1/debug/actors")).json()["actors"]["batcher"] == "running"
        killed = await client.post("/api/v1/debug/kill-actor", {"actor": "batcher"})
        assert killed.status == 202, killed
        await until(lambda: node.node.system.stats().restarts == 1)
        assert await client.enqueue()


async def test_who_waits_for_the_end_of_a_job_hears_that_it_was_enqueued_whatever_fails(tmp_path):
    async with running(tmp_path / "data", chaos=True) as node:
        client = node.client
        waiting = asyncio.ensure_future(client.post("/api/v1/enqueue?wait=20s", {"queue": "q"}))
        await until(lambda: rooms_waiting(node))
        await client.post("/api/v1/debug/kill-actor", {"actor": "job_wait"})

        reply = await waiting

        assert (reply.status, reply.json()["status"]) == (201, "pending")
        assert (await client.get(f"/api/v1/jobs/{reply.json()['job_id']}")).status == 200


async def rooms_waiting(node):
    status = await node.node.system.ask(node.node.actors.job_wait, GetStatus())
    return status.waiting


async def test_an_actor_that_is_not_there_is_not_found_and_those_that_are_get_named(tmp_path):
    async with running(tmp_path / "data", chaos=True) as node:
        reply = await node.client.post("/api/v1/debug/kill-actor", {"actor": "janitor"})
        assert reply.status == 404
        assert "'janitor'; there are access_keeper, batcher, bulk_runner, " in reply.json()["error"]
        assert (await node.client.post("/api/v1/debug/kill-actor", {})).status == 400


async def test_the_api_document_does_not_speak_of_it(tmp_path):
    async with running(tmp_path / "data", chaos=True) as node:
        assert b"kill-actor" not in (await node.client.get("/openapi.json")).body


@pytest.mark.parametrize("bind", ["0.0.0.0:8080", "[::]:8080", "192.168.1.5:8080", "queue.example.com:8080"])
def test_a_node_that_others_can_reach_does_not_take_the_flag(bind):
    with pytest.raises(ConfigError, match=r"Bind to 127\.0\.0\.1, or leave --chaos out"):
        load({"chaos": "true", "bind": bind}, {})


@pytest.mark.parametrize("bind", ["127.0.0.1:8080", "[::1]:0", "localhost:80", ":8080"])
def test_a_node_for_this_machine_only_does(bind):
    assert load({"bind": bind}, {"CORVO_CHAOS": "1"})[0].chaos
