"""A change whose answer was given is on record, also if the node is killed right then."""


def records(node):
    status, body = node.call("GET", "/audit-logs?limit=1000")
    assert status == 200, body
    return body["audit_logs"]


def test_a_change_and_its_record_survive_kill_nine_together(serve):
    node = serve()
    for round_ in range(4):
        jobs = [node.enqueue(f"q{round_}") for _ in range(3)]
        answered = {}
        for job_id in jobs:
            status, _ = node.call("POST", f"/jobs/{job_id}/cancel", X_Request_Id=f"cancel-{job_id}")
            answered[job_id] = status
        node.server.kill()
        node.restart()
        found = {record["request_id"]: record for record in records(node)}
        for job_id, status in answered.items():
            assert status == 200
            assert node.state(job_id) == "cancelled"
            assert found[f"cancel-{job_id}"]["affected"] == 1


def test_the_stream_has_every_record_over_kill_nine(serve, tmp_path):
    path = tmp_path / "audit.jsonl"
    node = serve("--audit-to", str(path))
    for round_ in range(3):
        for number in range(20):
            assert node.call("POST", f"/queues/q{round_}-{number}/pause")[0] == 200
        node.server.kill()
        node.restart()
    assert node.server.terminate() == 0
    node.restart()
    kept = {record["id"] for record in records(node)}
    node.server.terminate()
    written = [line for line in path.read_text().splitlines() if line.endswith("}")]
    assert len(kept) == 60
    assert kept <= {line.split('"')[3] for line in written}
