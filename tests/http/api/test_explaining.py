"""Asking why a job does not run."""

JOBS = "/api/v1/jobs"
QUEUES = "/api/v1/queues"


async def explained(client, job_id):
    body = (await client.get(f"{JOBS}/{job_id}/explain")).json()
    return body, {reason["code"]: reason for reason in body["reasons"]}


async def test_why_a_job_waits(client):
    first = await client.enqueue()
    second = await client.enqueue()
    body, reasons = await explained(client, first)
    assert (body["state"], set(reasons)) == ("pending", {"no_worker"})
    assert "eta_ms" not in body
    _, reasons = await explained(client, second)
    assert reasons["behind"]["text"] == "1 job is ahead of it"

    await client.post(f"{QUEUES}/q/pause")
    await client.post(f"{QUEUES}/q/concurrency", {"max": 1})
    _, reasons = await explained(client, first)
    assert {"paused", "no_worker"} <= set(reasons)
    await client.post(f"{QUEUES}/q/resume")
    await client.fetch(worker_id="w1")
    _, reasons = await explained(client, second)
    assert set(reasons) == {"concurrency"}
    body, reasons = await explained(client, first)
    assert (set(reasons), reasons["leased"]["text"]) == ({"leased"}, "w1 is working on it")
    assert reasons["leased"]["until"].endswith("Z")


async def test_why_a_job_waits_otherwise(client):
    later = await client.enqueue(scheduled_at="2099-01-01T00:00:00Z")
    body, reasons = await explained(client, later)
    assert reasons["scheduled"]["until"] == "2099-01-01T00:00:00Z"
    assert body["eta_ms"] > 10**12
    blocked = await client.enqueue("b", depends_on=[later])
    _, reasons = await explained(client, blocked)
    assert later in reasons["dependencies"]["text"]
    held = await client.enqueue()
    await client.post(f"{JOBS}/{held}/hold", {"reason": "legal"})
    _, reasons = await explained(client, held)
    assert reasons["held"]["text"].endswith("legal")
    await client.post(f"{JOBS}/{held}/reject")
    _, reasons = await explained(client, held)
    assert reasons["dead"]["text"] == "it is dead: rejected"
    await client.post(f"{QUEUES}/t/throttle", {"rate": 1, "period": "1h"})
    await client.enqueue("t")
    waiting = await client.enqueue("t")
    await client.fetch("t", worker_id="w1")
    _, reasons = await explained(client, waiting)
    assert set(reasons) == {"throttled"}
    assert (await client.get(f"{JOBS}/job_none/explain")).code == "NOT_FOUND"
