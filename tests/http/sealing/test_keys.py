"""Keys of sealed queues: where they come from, how they change, and what happens without them."""

import asyncio
import json
import signal
import sys

import pytest

from corvo.config import ConfigError, load
from corvo.node.seal_keys import SealKeysProblem, parse
from tests.support.node import running, until
from tests.support.sealing import files_with, key, write_keys

SEAL = {"seal": "default/pay"}
SECRET = {"card": "plain" * 3}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "keys.json"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


async def test_after_a_rotation_old_jobs_are_opened_and_new_ones_sealed_with_the_new_key(folder, file):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        old = await node.client.enqueue("pay", SECRET)
        write_keys(file, "k1", "k2")
        await node.node.reload()
        new = await node.client.enqueue("pay", SECRET)
        assert (await node.client.job(old))["payload"] == (await node.client.job(new))["payload"] == SECRET
    assert files_with(folder, b"\x02k2"), "the id of the new key stands in what it sealed"
    async with running(folder, **write_keys(file, "k2"), **SEAL) as node:
        assert (await node.client.job(new))["payload"] == SECRET
        assert (await node.client.job(old))["payload"]["corvo_unreadable"]["key_id"] == "k1"


async def test_a_node_whose_new_keys_cannot_be_read_goes_on_with_the_old_ones(folder, file):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        file.write_text("{")
        await node.node.reload()
        job_id = await node.client.enqueue("pay", SECRET)
        assert (await node.client.job(job_id))["payload"] == SECRET


@pytest.mark.parametrize("with_keys", [True, False])
async def test_a_job_whose_key_is_missing_is_shown_with_the_reason_and_handed_to_nobody(
    folder, file, with_keys
):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        client = node.client
        job_id = await client.enqueue("pay", SECRET)
        fetched = await client.fetch("pay")
        await client.post(f"/api/v1/fail/{job_id}", {"error": "plain trouble", "retry_after": "0s"})
        attempt = fetched["attempt"]
        await client.post(
            "/api/v1/schedules", {"name": "s", "cron": "0 3 * * *", "queue": "pay", "payload": SECRET}
        )
    others = write_keys(file, "k2") | SEAL if with_keys else {}
    async with running(folder, **others) as node:
        client = node.client
        job = await client.job(job_id)
        unreadable = job["payload"]["corvo_unreadable"]
        assert (unreadable["code"], unreadable["key_id"]) == ("SEAL_KEY_MISSING", "k1")
        assert "k1" in job["last_error"]
        assert "k1" in job["errors"][0]["error"]
        reply = await client.post("/api/v1/fetch", {"queues": ["pay"], "timeout": 1})
        assert (reply.status, reply.code) == (503, "SEAL_KEY_MISSING"), reply
        assert reply.json()["key_id"] == "k1"
        job = await client.job(job_id)
        assert (job["state"], job["attempt"]) == ("scheduled", attempt), (
            "it is given back, and nothing counted"
        )
        found = (await client.post("/api/v1/jobs/search", {"queue": "pay"})).json()["jobs"]
        assert found[0]["payload"]["corvo_unreadable"]["key_id"] == "k1"
        kept = await client.request("PUT", "/api/v1/schedules/s", {"cron": "0 4 * * *"})
        if with_keys:
            assert kept.code == "SEAL_KEY_MISSING", "the notice must not become the payload"
        failed = await client.post(f"/api/v1/fail/{job_id}", {"error": "x"})
        assert failed.status == 400
        assert 'key="k1"' in (await client.get("/metrics")).body.decode()
    async with running(folder, **write_keys(file, "k1", "k2"), **SEAL) as node:
        client = node.client
        assert (await client.post(f"/api/v1/jobs/{job_id}/retry")).status == 200
        assert (await client.fetch("pay"))["payload"] == SECRET


async def test_jobs_that_can_be_opened_are_handed_out_beside_those_that_cannot(folder, file):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        shut = await node.client.enqueue("pay", SECRET)
    async with running(folder, **write_keys(file, "k2"), **SEAL) as node:
        good = await node.client.enqueue("pay", SECRET)
        reply = await node.client.post("/api/v1/fetch/batch", {"queues": ["pay"], "count": 2, "timeout": 1})
        assert [job["job_id"] for job in reply.json()["jobs"]] == [good]
        assert (await node.client.job(shut))["state"] == "scheduled"


async def test_sighup_makes_a_running_node_read_its_keys_again(folder, file, tmp_path):
    settings = write_keys(file, "k1")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "corvo", "serve", "--bind", "127.0.0.1:0",
        "--raft-bind", "127.0.0.1:0",
        "--data-dir", str(folder), "--seal", "default/pay", "--seal-keys", settings["seal_keys"],
        "--log-format", "json", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None

    async def said(event):
        async with asyncio.timeout(30):
            while line := await process.stdout.readline():
                if f'"{event}"' in line.decode():
                    return json.loads(line)
        raise AssertionError(f"the node never said {event}")

    async def ask():
        """More than once: a node that has only just started does not listen yet."""
        while True:
            process.send_signal(signal.SIGHUP)
            await asyncio.sleep(0.2)

    try:
        await said("node.started")
        write_keys(file, "k1", "k2")
        asking = asyncio.ensure_future(ask())
        told = await said("seal.keys_reloaded")
        asking.cancel()
        assert (told["keys"], told["current"]) == (["k1", "k2"], "k2")
        assert key("k2") not in json.dumps(told)
    finally:
        process.terminate()
        await process.communicate()


async def test_keys_come_from_a_command_as_well(folder, file):
    write_keys(file, "k1")
    async with running(folder, seal_keys_command=f"cat {file}", **SEAL) as node:
        job_id = await node.client.enqueue("pay", SECRET)
        assert (await node.client.job(job_id))["payload"] == SECRET
    assert files_with(folder, b"plain") == {}


async def test_a_file_that_others_may_read_is_refused(folder, file):
    settings = write_keys(file, "k1")
    file.chmod(0o640)
    with pytest.raises(SealKeysProblem, match="chmod 600"):
        async with running(folder, **settings, **SEAL):
            """Never reached."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[keys", "neither TOML nor JSON"),
        ("current = 'a'", "no keys"),
        (f"current = 'b'\n[keys]\na = '{key('a')}'", "does not name one"),
        ("current = 'a'\n[keys]\na = 'c2hvcnQ='", "32 bytes"),
        (f"current = '{'a' * 65}'\n[keys]\n{'a' * 65} = '{key('a')}'", "an id"),
    ],
)
def test_what_is_wrong_with_the_keys_is_said_without_showing_them(text, words):
    with pytest.raises(SealKeysProblem, match=words) as refusal:
        parse(text, "keys.toml")
    assert key("a") not in str(refusal.value)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"seal": "default/pay"}, "needs keys"),
        ({"seal": "pay", "seal_keys": "x"}, "namespace and a queue"),
        ({"seal_keys": "x", "seal_keys_command": "y"}, "exclude each other"),
    ],
)
def test_settings_that_make_no_sense_together_are_refused(flags, words):
    with pytest.raises(ConfigError, match=words):
        load(flags, {})


async def test_a_value_changed_on_disk_is_handed_to_nobody(folder, file):
    """By putting one job's payload into another's document, as only a writer to the folder can."""
    from corvo.core.job import decode_job, encode
    from corvo.storage import datadir, keys
    from corvo.storage.leveldb import LevelDbKv

    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        one, other = [await node.client.enqueue("pay", {"number": number}) for number in range(2)]
        await until(lambda: node.client.job(other))
    kv = LevelDbKv(datadir.current_store(folder), create=False)
    try:
        victim, source = (decode_job(kv.get(keys.job(job_id))) for job_id in (one, other))
        victim.payload = source.payload
        kv.write({keys.job(one): encode(victim)}, sync=True)
    finally:
        kv.close()
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        job = await node.client.job(one)
        assert job["payload"]["corvo_unreadable"]["code"] == "SEAL_DAMAGED"
        reply = await node.client.post("/api/v1/fetch", {"queues": ["pay"], "timeout": 1})
        assert (reply.status, reply.code) == (500, "SEAL_DAMAGED")
