"""Three nodes: whichever is asked, the answer is the same."""

import asyncio

import pytest
import pytest_asyncio

from tests.http.api.test_stream import Http1, Talker
from tests.support.cluster import cluster_of
from tests.support.node import until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(tmp_path_factory):
    async with cluster_of(tmp_path_factory.mktemp("cluster"), "n1", "n2", "n3") as cluster:
        yield cluster


async def test_a_job_goes_through_its_life_on_three_different_nodes(cluster):
    one, two, three = (cluster.client(node_id) for node_id in ("n1", "n2", "n3"))
    job_id = await two.enqueue("q", {"n": 1})
    job = await three.fetch("q")
    assert job["job_id"] == job_id
    reply = await one.post(f"/api/v1/ack/{job_id}", {"lease_token": job["lease_token"]})
    assert reply.status == 200, reply
    for node_id in cluster.nodes:
        client = cluster.client(node_id)
        await until(lambda c=client: _has_state(c, job_id, "completed"))


async def _has_state(client, job_id, state):
    reply = await client.get(f"/api/v1/jobs/{job_id}")
    return reply.status == 200 and reply.json()["state"] == state


async def test_who_writes_on_a_follower_reads_it_there_at_once(cluster):
    client = cluster.client(cluster.followers[0])
    for number in range(20):
        job_id = await client.enqueue("q", {"n": number})
        assert (await client.job(job_id))["state"] == "pending"


async def test_a_long_poll_on_one_node_is_woken_by_a_job_from_another(cluster):
    client = cluster.client(cluster.followers[0])
    waiting = asyncio.ensure_future(client.fetch("late", timeout=20))
    await until(lambda: _has_waiter(client))
    job_id = await cluster.client(cluster.followers[1]).enqueue("late")
    async with asyncio.timeout(5):
        assert (await waiting)["job_id"] == job_id


async def _has_waiter(client):
    return b"\ncorvo_fetch_waiting 1.0" in (await client.get("/api/v1/metrics")).body


async def test_each_job_is_handed_to_one_worker_whatever_node_it_asks(cluster):
    clients = [cluster.client(node_id) for node_id in cluster.nodes]
    ids = {await clients[n % 3].enqueue("shared", {"n": n}) for n in range(30)}
    fetched = []

    async def work(client):
        while (job := await client.fetch("shared", timeout=1)) is not None:
            fetched.append(job["job_id"])

    await asyncio.gather(*(work(client) for client in clients * 2))
    assert sorted(fetched) == sorted(ids)


async def test_the_worker_stream_works_on_a_follower(cluster):
    follower, other = cluster.followers
    async with Http1(cluster.client(follower)) as stream:
        talker = Talker(stream)
        await talker.ask(enqueues=[{"queue": "streamed", "payload": {"n": n}} for n in range(2)])
        answer = await talker.ask(queues=["streamed"], worker_id="w", fetch_count=2)
        acks = [{"job_id": job["job_id"], "lease_token": job["lease_token"]} for job in answer["jobs"]]
        assert (await talker.ask(acks=acks))["acked"] == 2
        waiting = talker.say(fetch_count=1, wait_ms=20_000)
        job_id = await cluster.client(other).enqueue("streamed")
        answer = await talker.hear()
        assert (answer["request_id"], answer["jobs"][0]["job_id"]) == (waiting, job_id)


async def test_a_search_on_a_follower_finds_what_was_just_written_there(cluster):
    client = cluster.client(cluster.followers[0])
    job_id = await client.enqueue("searched", {"word": "needle"})
    reply = await client.post("/api/v1/jobs/search", {"queue": "searched"})
    assert [job["id"] for job in reply.json()["jobs"]] == [job_id]


async def test_an_idempotency_key_holds_across_nodes(cluster):
    body = {"queue": "once", "payload": {}}
    first = await cluster.client("n1").post("/api/v1/enqueue", body, idempotency_key="k1")
    second = await cluster.client("n3").post("/api/v1/enqueue", body, idempotency_key="k1")
    assert second.json()["job_id"] == first.json()["job_id"]
    assert second.headers["idempotency-replayed"] == "true"


async def test_a_fetch_that_waits_at_two_nodes_under_one_key_gets_one_job_at_both(cluster):
    body = {"queues": ["twice"], "timeout": 20}
    clients = [cluster.client(node_id) for node_id in cluster.followers]
    waiting = [
        asyncio.ensure_future(client.post("/api/v1/fetch", body, idempotency_key="k2")) for client in clients
    ]
    for client in clients:
        await until(lambda c=client: _has_waiter(c))
    ids = [await cluster.client("n1").enqueue("twice") for _ in range(2)]
    async with asyncio.timeout(5):
        first, second = await asyncio.gather(*waiting)
    assert first.json() == second.json()
    assert first.json()["job_id"] == ids[0]
    assert sum("idempotency-replayed" in reply.headers for reply in (first, second)) == 1


async def test_a_client_that_wants_the_leader_itself_is_told_where_it_is(cluster):
    body = {"queue": "direct", "payload": {}}
    refused = await cluster.client(cluster.followers[0]).post("/api/v1/enqueue", body, x_corvo_direct="1")
    assert (refused.status, refused.code) == (503, "NOT_LEADER")
    assert refused.json()["leader_addr"] == f"http://{cluster.nodes[cluster.leader].address}"
    taken = await cluster.client(cluster.leader).post("/api/v1/enqueue", body, x_corvo_direct="1")
    assert taken.status == 201


async def test_a_refusal_comes_through_with_its_code(cluster):
    client = cluster.client(cluster.followers[0])
    reply = await client.post("/api/v1/ack/job_nonsense", {})
    assert (reply.status, reply.code) == (404, "NOT_FOUND")
