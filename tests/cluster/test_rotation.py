"""The secret of a running cluster is changed, and no client notices."""

import pytest

from chaos.group import SECRET, Group
from chaos.process import Client, Server, free_port
from tests.support.rolling import Requests, all_connected

pytestmark = pytest.mark.slow

NEW_SECRET = "the secret of the time after"


@pytest.fixture
def group(tmp_path):
    group = Group(tmp_path)
    try:
        group.form()
        group.until(lambda: all_connected(group), "all nodes are connected")
        yield group
    finally:
        group.close()


def restart_all(group, requests, **environment):
    """One after the other, as docs/cluster.md says."""
    for node_id, server in group.servers.items():
        before = len(requests.accepted)
        assert server.terminate(wait_s=20) == 0
        server.environment = environment
        server.start()
        group.until(lambda: all_connected(group), f"{node_id} is back")
        group.until(lambda b=before: len(requests.accepted) > b, "requests go on")


def log_of(server):
    return server.data_dir.with_name(f"{server.data_dir.name}.log").read_text()


def test_the_secret_is_changed_under_load_and_no_request_fails(group, tmp_path):
    file = tmp_path / "secret"
    with Requests(group.ports) as requests:
        group.until(lambda: requests.accepted, "requests are answered")
        restart_all(group, requests, CORVO_CLUSTER_SECRET=SECRET, CORVO_CLUSTER_SECRET_NEXT=NEW_SECRET)
        file.write_text(f"{NEW_SECRET}\n")
        file.chmod(0o600)
        restart_all(group, requests, CORVO_CLUSTER_SECRET_FILE=str(file))
    assert requests.failures == []
    status, body = Client(*group.ports).call(
        "POST", "/api/v1/jobs/bulk-get", {"job_ids": requests.accepted[:900]}
    )
    assert (status, body.get("not_found", [])) == (200, [])
    for server in group.servers.values():
        assert SECRET not in log_of(server)
        assert NEW_SECRET not in log_of(server)

    # Who has only the old one is outside now.
    joined = group.servers["n2"].command[group.servers["n2"].command.index("--join") + 1]
    late = Server(
        tmp_path / "n9",
        free_port(),
        *("--node-id", "n9", "--raft-bind", f"127.0.0.1:{free_port()}", "--join", joined),
        environment={"CORVO_CLUSTER_SECRET": SECRET},
    )
    try:
        late.begin()
        group.until(lambda: "cluster.no_answer" in log_of(late), "the late one asks in vain")
        assert "is the secret the same?" in log_of(late)
        assert group.voters() == 3
    finally:
        late.close()
