"""Resealing: all that a bulk task finds is sealed with the current key afterwards, and says the same."""

import asyncio

import pytest

from corvo.core.job import decode_error, decode_job
from corvo.core.sealing.form import from_text, is_sealed, is_sealed_text, key_ids_of
from corvo.storage import datadir, keys
from corvo.storage.leveldb import LevelDbKv
from tests.support.node import running, until
from tests.support.sealing import write_keys

SEAL = {"seal": "default/pay*"}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "keys.json"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


async def make_jobs(client):
    chain = {
        "steps": [{"queue": "pay-1"}, {"queue": "pay-2", "payload": {"own": 1}}],
        "on_failure": {"queue": "pay-3", "payload": [3]},
    }
    ids = [
        await client.enqueue("pay", {"n": 1}, checkpoint=[1]),
        await client.enqueue("pay-large", {"text": "x" * 5_000}),
        await client.enqueue("pay-1", {"n": 2}, chain=chain),
    ]
    for queue in ("pay", "pay-1"):
        job = await client.fetch(queue)
        job_id, token = job["job_id"], job["lease_token"]
        await client.post(
            "/api/v1/heartbeat", {"jobs": {job_id: {"progress": {"at": 1}, "lease_token": token}}}
        )
        if queue == "pay":
            text = "trouble " * 200
            fail = {"error": text, "backtrace": "line 1", "retry_after": "1h", "lease_token": token}
            await client.post(f"/api/v1/fail/{job_id}", fail)
        else:
            await client.post(f"/api/v1/ack/{job_id}", {"result": {"sum": 3}, "lease_token": token})
    (second,) = (await client.post("/api/v1/jobs/search", {"queue": "pay-2"})).json()["jobs"]
    return [*ids, second["id"]]


async def reseal(client, **chosen):
    chosen = chosen or {"filter": {}}
    reply = await client.post("/api/v1/jobs/bulk", {"action": "reseal"} | chosen)
    assert reply.status == 202, reply
    task = f"/api/v1/bulk/{reply.json()['bulk_operation_id']}"

    async def ended():
        found = (await client.get(task)).json()
        return found if found["status"] in ("completed", "failed") else None

    return await until(ended)


def keys_in(folder):
    """The ids of the keys by which anything of any job is sealed; an empty one for what is not."""
    kv = LevelDbKv(datadir.current_store(folder), create=False)
    found = set()

    def note(value):
        if isinstance(value, str):
            value = from_text(value) if is_sealed_text(value) else value.encode()
        if value is not None:
            found.update(key_ids_of(value) if is_sealed(value) else {""})

    try:
        for _, stored in kv.scan(keys.JOB, keys.after(keys.JOB)):
            job = decode_job(stored)
            for value in (job.payload, job.progress, job.checkpoint, job.result, job.last_error):
                note(value)
            if job.flow is not None and job.flow.chain is not None:
                for step in (*job.flow.chain.steps, job.flow.chain.on_failure):
                    note(step.payload)
        for _, stored in kv.scan(keys.PAYLOAD, keys.after(keys.PAYLOAD)):
            note(stored)
        for _, stored in kv.scan(keys.ERROR, keys.after(keys.ERROR)):
            error = decode_error(stored)
            note(error.error)
            note(error.backtrace)
    finally:
        kv.close()
    return found


async def test_after_a_rotation_all_jobs_are_sealed_with_the_new_key_and_the_old_one_can_go(folder, file):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        ids = await make_jobs(node.client)
        before = [await node.client.job(job_id) for job_id in ids]
        (group,) = (await node.client.get("/api/v1/failures")).json()["failures"]
    assert keys_in(folder) == {"k1"}
    async with running(folder, **write_keys(file, "k1", "k2"), **SEAL) as node:
        task = await reseal(node.client)
        assert (task["status"], task["affected"], task["skipped"]) == ("completed", len(ids), 0)
        again = await reseal(node.client)
        assert again["affected"] == len(ids), "it does no harm a second time"
        (same,) = (await node.client.get("/api/v1/failures")).json()["failures"]
        assert same["failure"] == group["failure"]
        assert (await node.client.post("/api/v1/admin/check")).json()["problems"] == []
    assert keys_in(folder) == {"k2"}
    async with running(folder, **write_keys(file, "k2"), **SEAL) as node:
        assert [await node.client.job(job_id) for job_id in ids] == before
        found = (await node.client.post("/api/v1/jobs/search", {"queue": "pay"})).json()["jobs"]
        assert found[0]["payload"] == {"n": 1}, "the mirror has the new ones, too"
        assert (await node.client.fetch("pay-2"))["payload"]["previous_result"] == {"sum": 3}


async def test_jobs_from_before_the_queue_was_sealed_are_sealed_and_no_longer_found_by_their_words(
    folder, file
):
    async with running(folder) as node:
        ids = await make_jobs(node.client)
        before = [await node.client.job(job_id) for job_id in ids]
        assert (await node.client.get("/api/v1/search/fulltext?q=own")).json()["results"]
    assert keys_in(folder) == {""}
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        assert (await reseal(node.client))["status"] == "completed"
        assert [await node.client.job(job_id) for job_id in ids] == before
        assert (await node.client.get("/api/v1/search/fulltext?q=own")).json()["results"] == []
        assert (await node.client.post("/api/v1/admin/check")).json()["problems"] == []
    assert keys_in(folder) == {"k1"}


async def test_a_job_whose_key_is_missing_is_left_as_it_is(folder, file):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        job_id = await node.client.enqueue("pay", {"n": 1})
    async with running(folder, **write_keys(file, "k2"), **SEAL) as node:
        assert (await reseal(node.client, job_ids=[job_id]))["status"] == "completed"
    async with running(folder, **write_keys(file, "k1", "k2"), **SEAL) as node:
        assert (await node.client.job(job_id))["payload"] == {"n": 1}


async def test_without_keys_there_is_nothing_to_reseal_with(client):
    job_id = await client.enqueue("pay")
    task = await reseal(client, job_ids=[job_id])
    assert (task["status"], "--seal-keys" in task["error"]) == ("failed", True)


async def test_what_changes_while_it_is_resealed_stays_changed(folder, file):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        client = node.client
        ids = [await client.enqueue("pay", {"n": number}) for number in range(200)]
        job = await client.fetch("pay")
        write_keys(file, "k1", "k2")
        await node.node.reload()
        beats = [{job["job_id"]: {"progress": {"at": number}}} for number in range(50)]

        async def beat():
            for each in beats:
                assert (await client.post("/api/v1/heartbeat", {"jobs": each})).status == 200

        await asyncio.gather(reseal(client), beat())
        assert (await client.job(job["job_id"]))["progress"] == {"at": 49}
        many = (await client.post("/api/v1/jobs/bulk-get", {"job_ids": ids})).json()["jobs"]
        assert [each["payload"] for each in many] == [{"n": number} for number in range(200)]
    assert keys_in(folder) == {"k2"}


async def test_a_task_goes_on_after_a_restart(folder, file):
    async with running(folder, **write_keys(file, "k1"), **SEAL) as node:
        ids = [await node.client.enqueue("pay", {"n": number}) for number in range(40)]
    settings = write_keys(file, "k1", "k2") | SEAL
    async with running(folder, **settings) as node:
        body = {"action": "reseal", "filter": {}, "rate": 20}
        task = (
            f"/api/v1/bulk/{(await node.client.post('/api/v1/jobs/bulk', body)).json()['bulk_operation_id']}"
        )

        async def has_begun():
            return 0 < (await node.client.get(task)).json()["processed"] < 40

        await until(has_begun)
    assert keys_in(folder) == {"k1", "k2"}
    async with running(folder, **settings) as node:

        async def has_ended():
            return (await node.client.get(task)).json()["status"] == "completed"

        await until(has_ended)
        many = (await node.client.post("/api/v1/jobs/bulk-get", {"job_ids": ids})).json()["jobs"]
        assert [job["payload"] for job in many] == [{"n": number} for number in range(40)]
    assert keys_in(folder) == {"k2"}
