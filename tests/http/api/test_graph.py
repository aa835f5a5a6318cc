"""A job's relatives as one graph."""

import pytest

from corvo.actors.state.relatives import EDGES_MAX, NODES_MAX


async def graph(client, job_id):
    reply = await client.get(f"/api/v1/jobs/{job_id}/graph")
    assert reply.status == 200, reply
    body = reply.json()
    assert body["job_id"] == job_id
    nodes = {node["id"]: node for node in body["nodes"]}
    edges = {(edge["from"], edge["to"], edge["kind"]) for edge in body["edges"]}
    assert all(source in nodes and target in nodes for source, target, _ in edges)
    assert len(edges) == len(body["edges"])
    return nodes, edges, body["truncated"]


async def finish(client, queue, **fields):
    job = await client.fetch(queue)
    reply = await client.post(f"/api/v1/ack/{job['job_id']}", fields)
    assert reply.status == 200, reply
    return job["job_id"]


async def test_a_job_without_relatives_stands_alone(client):
    job_id = await client.enqueue("q")
    nodes, edges, truncated = await graph(client, job_id)
    assert nodes == {job_id: {"id": job_id, "kind": "job", "queue": "q", "state": "pending"}}
    assert (edges, truncated) == (set(), False)


async def test_an_unknown_job_is_not_found(client):
    reply = await client.get("/api/v1/jobs/job_none/graph")
    assert (reply.status, reply.code) == (404, "NOT_FOUND")


async def test_parents_and_children_are_seen_from_either_side(client):
    parent = await client.enqueue("q")
    child = await client.enqueue("q", parent_id=parent)
    sibling = await client.enqueue("q", parent_id=parent)
    orphan = await client.enqueue("q", parent_id="job_of_another_world")
    expected = {(parent, child, "parent"), (parent, sibling, "parent")}
    for job_id in (parent, child, sibling):
        nodes, edges, _ = await graph(client, job_id)
        assert set(nodes) == {parent, child, sibling}
        assert edges == expected
    nodes, edges, _ = await graph(client, orphan)
    assert nodes["job_of_another_world"] == {"id": "job_of_another_world", "kind": "job", "state": "gone"}
    assert edges == {("job_of_another_world", orphan, "parent")}


async def test_dependencies_and_dependents_are_seen_through_before_and_after_they_end(client):
    first = await client.enqueue("a")
    second = await client.enqueue("b", depends_on=[first])
    third = await client.enqueue("c", depends_on=[second, first])
    expected = {(first, second, "dependency"), (second, third, "dependency"), (first, third, "dependency")}
    for job_id in (first, second, third):
        assert (await graph(client, job_id))[1] == expected
    await finish(client, "a")
    await finish(client, "b")
    for job_id in (first, second, third):
        nodes, edges, _ = await graph(client, job_id)
        assert edges == expected
        assert [nodes[each]["state"] for each in (first, second, third)] == [
            "completed",
            "completed",
            "pending",
        ]


async def test_a_chain_shows_the_steps_that_were_and_those_to_come(client):
    first = await client.enqueue("a", chain={"steps": [{"queue": "a"}, {"queue": "b"}, {"queue": "c"}]})
    nodes, edges, _ = await graph(client, first)
    (chain_id,) = {node_id.partition("#")[0] for node_id in nodes if "#" in node_id}
    assert edges == {(first, f"{chain_id}#1", "chain"), (f"{chain_id}#1", f"{chain_id}#2", "chain")}
    assert nodes[f"{chain_id}#2"] == {
        "id": f"{chain_id}#2",
        "kind": "step",
        "queue": "c",
        "state": "planned",
        "chain_step": 2,
    }
    await finish(client, "a")
    second = (await client.fetch("b"))["job_id"]
    for job_id in (first, second):
        nodes, edges, _ = await graph(client, job_id)
        assert edges == {(first, second, "chain"), (second, f"{chain_id}#2", "chain")}
        assert (nodes[first]["state"], nodes[second]["state"]) == ("completed", "active")
        assert (nodes[first]["chain_step"], nodes[second]["chain_step"]) == (0, 1)


async def test_a_chain_that_was_left_early_shows_its_exit_and_no_steps_to_come(client):
    chain = {"steps": [{"queue": "a"}, {"queue": "b"}], "on_exit": {"queue": "bye"}}
    first = await client.enqueue("a", chain=chain)
    await finish(client, "a", step_status="exit")
    exit_job = (await client.fetch("bye"))["job_id"]
    nodes, edges, _ = await graph(client, first)
    assert set(nodes) == {first, exit_job}
    assert edges == {(first, exit_job, "chain")}
    assert nodes[exit_job]["chain_step"] == -1


async def test_a_batch_shows_its_jobs_its_counts_and_its_callback(client):
    body = {"jobs": [{"queue": "w"}, {"queue": "w"}], "batch": {"callback_queue": "done"}}
    made = (await client.post("/api/v1/enqueue/batch", body)).json()
    one, two = made["job_ids"]
    batch_id = made["batch_id"]
    nodes, edges, _ = await graph(client, one)
    assert edges == {(one, batch_id, "batch"), (two, batch_id, "batch")}
    assert nodes[batch_id] == {
        "id": batch_id,
        "kind": "batch",
        "queue": "done",
        "state": "sealed",
        "total": 2,
        "pending": 2,
        "succeeded": 0,
        "failed": 0,
    }
    await finish(client, "w")
    await finish(client, "w")
    callback = (await client.fetch("done"))["job_id"]
    nodes, edges, _ = await graph(client, two)
    assert edges == {(one, batch_id, "batch"), (two, batch_id, "batch"), (batch_id, callback, "callback")}
    assert (nodes[batch_id]["state"], nodes[batch_id]["succeeded"]) == ("completed", 2)


async def test_what_was_deleted_is_shown_as_gone_and_leaves_nothing_behind(client):
    dependency = await client.enqueue("a")
    dependent = await client.enqueue("b", depends_on=[dependency], on_dependency_failure="wait")
    await client.request("DELETE", f"/api/v1/jobs/{dependency}")
    nodes, edges, _ = await graph(client, dependent)
    assert nodes[dependency]["state"] == "gone"
    assert edges == {(dependency, dependent, "dependency")}
    await client.request("DELETE", f"/api/v1/jobs/{dependent}")
    other = await client.enqueue("b", parent_id=dependency)
    assert set((await graph(client, other))[0]) == {other, dependency}


@pytest.mark.parametrize("count", [NODES_MAX - 2, NODES_MAX + 50])
async def test_a_graph_is_bounded_and_says_so(client, count):
    body = {"jobs": [{"queue": "w"}] * count, "batch": {"callback_queue": "done"}}
    made = (await client.post("/api/v1/enqueue/batch", body)).json()
    last = made["job_ids"][-1]
    nodes, edges, truncated = await graph(client, last)
    assert truncated == (count >= NODES_MAX)
    assert len(nodes) == min(count + 1, NODES_MAX)
    assert last in nodes
    assert len(edges) <= EDGES_MAX


async def test_a_long_line_of_dependencies_is_shown_nearest_first(client):
    line = [await client.enqueue("q")]
    for _ in range(5):
        line.append(await client.enqueue("q", depends_on=[line[-1]]))
    reply = (await client.get(f"/api/v1/jobs/{line[2]}/graph")).json()
    distance = [abs(line.index(node["id"]) - 2) for node in reply["nodes"]]
    assert distance == sorted(distance)


async def test_many_dependencies_of_many_jobs_stay_within_bounds(client):
    hubs = [await client.enqueue("hub") for _ in range(20)]
    jobs = [{"queue": "spoke", "depends_on": hubs} for _ in range(150)]
    made = (await client.post("/api/v1/enqueue/batch", {"jobs": jobs})).json()["job_ids"]
    nodes, edges, truncated = await graph(client, made[0])
    assert len(nodes) == 170
    assert len(edges) == EDGES_MAX
    assert truncated
