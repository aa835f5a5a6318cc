"""Figures for machines: metrics of Prometheus, throughput, the process."""

from tests.support.node import running, until


async def test_metrics_count_what_happened_under_the_names_operators_know(client):
    job_id = await client.enqueue("emails")
    await client.fetch("emails", worker_id="w1")
    await client.post(f"/api/v1/ack/{job_id}")
    await client.get("/api/v1/jobs/job_none")

    async def counted():
        # Figures are counted when an entry has landed, which is a moment after its answer.
        seen = await client.get("/api/v1/metrics")
        return seen if b"corvo_throughput_completed_total 1.0" in seen.body else None

    reply = await until(counted)

    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = reply.body.decode()
    for line in (
        "corvo_throughput_enqueued_total 1.0",
        "corvo_queues 1.0",
        'corvo_queue_jobs{namespace="default",queue="emails",state="completed"} 1.0',
        'corvo_jobs{state="cancelled"} 0.0',
        "corvo_cluster_is_leader 1.0",
        "corvo_raft_state 2.0",
        "corvo_raft_apply_max_pending 4096.0",
        "corvo_workers_registered 1.0",
        'corvo_http_requests_total{method="POST",route="/api/v1/ack/{job_id}"} 1.0',
        'corvo_http_request_errors_total{method="GET",route="/api/v1/jobs/{job_id}"} 1.0',
        'corvo_http_request_duration_seconds_bucket{le="+Inf",method="POST",route="/api/v1/enqueue"} 1.0',
    ):
        assert line in text, line
    for name in (
        "corvo_raft_applied_index",
        "corvo_raft_commit_index",
        "corvo_raft_snapshot_latest_index",
        "corvo_raft_apply_pending",
        "corvo_raft_apply_overload_total",
        "corvo_raft_fetch_overload_total",
        "corvo_raft_applied_total",
        "corvo_raft_queue_time_seconds_bucket",
        "corvo_raft_apply_time_seconds_bucket",
        "corvo_raft_sync_time_seconds_bucket",
        "corvo_sqlite_mirror_lag_updates",
        "corvo_sqlite_mirror_dropped_total",
        "corvo_workers_active",
        "corvo_process_tasks",
        "corvo_process_heap_inuse_bytes",
        "corvo_process_gc_pause_ns",
        "corvo_scheduler_promote_total",
        "corvo_scheduler_reclaim_errors_total",
        "corvo_scheduler_last_purge_seconds",
        "corvo_http_requests_in_flight",
        "corvo_metrics_errors_total",
    ):
        assert f"\n{name}" in text, name


async def test_throughput_of_the_last_hour(client):
    await client.enqueue()

    async def counted():
        minutes = (await client.get("/api/v1/metrics/throughput")).json()
        assert len(minutes) == 60
        return minutes[-1]["enqueued"] + minutes[-2]["enqueued"] == 1

    await until(counted)


def described(reply):
    """The metrics a page has. Their figures move, and so do labels, between one request and the next."""
    return [line for line in reply.body.decode().splitlines() if line.startswith("#")]


async def test_prometheus_finds_the_metrics_where_it_looks(client):
    await client.enqueue("emails")
    named, plain = await client.get("/api/v1/metrics"), await client.get("/metrics")
    assert plain.status == 200
    assert plain.headers["content-type"] == named.headers["content-type"]
    assert described(plain) == described(named)
    assert b'\ncorvo_queue_jobs{namespace="default",queue="emails",state="pending"} 1.0\n' in plain.body
    head = await client.request("HEAD", "/metrics")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-type"] == plain.headers["content-type"]
    refused = await client.post("/metrics")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD")
    operation = (await client.get("/openapi.json")).json()["paths"]["/metrics"]["get"]
    assert operation["tags"] == ["Metrics"]
    assert "429" in operation["responses"]


async def test_both_paths_of_the_metrics_are_limited_alike(tmp_path):
    limits = {"rate_limit_enabled": True, "rate_limit_read_rps": 1, "rate_limit_read_burst": 2}
    async with running(tmp_path / "data", **limits) as node:
        for path in ("/api/v1/metrics", "/metrics"):
            statuses = [(await node.client.get(path, X_API_Key=path)).status for _ in range(3)]
            assert statuses == [200, 200, 429]


async def test_the_process_is_described_in_plain_names_and_old_ones(client):
    said = (await client.get("/api/v1/debug/runtime")).json()
    assert said["tasks"] == said["goroutines"] > 0
    assert said["parallelism"] == said["gomaxprocs"] == 1
    assert said["heap_inuse_bytes"] > 1_000_000
    schema = (await client.get("/openapi.json")).json()["components"]["schemas"]["RuntimeBody"]
    old = {name for name, member in schema["properties"].items() if member.get("deprecated")}
    assert old == {"goroutines", "gomaxprocs"}
    assert all(member["description"] for member in schema["properties"].values())
