"""Two of three nodes are gone for good: the third is made a cluster of its own, and grows again."""

import shutil
import subprocess
import sys

import pytest

from chaos.checkers import replicas_equal
from chaos.group import Group
from chaos.judge import fetch_documents
from chaos.process import Client

pytestmark = pytest.mark.slow


def recover(server, *flags):
    """Exit code and words of `corvo cluster recover`."""
    command = [
        sys.executable,
        "-m",
        "corvo",
        "cluster",
        "recover",
        "--data-dir",
        str(server.data_dir),
        *flags,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def enqueue(client):
    return client.call("POST", "/api/v1/enqueue", {"queue": "q", "payload": {}})


@pytest.fixture
def group(tmp_path):
    group = Group(tmp_path, 3, "--leader-wait", "500ms")
    try:
        group.form()
        yield group
    finally:
        group.close()


def test_the_last_of_three_goes_on_alone_and_others_join_it_anew(group):
    survivor = group.servers["n1"]
    lost = [group.servers["n2"], group.servers["n3"]]
    if group.until_leading() == "n1":
        assert survivor.post("/api/v1/cluster/transfer", {})[0] == 200
    with Client(*group.ports) as client:
        answers = [enqueue(client) for _ in range(300)]
    ids = [body["job_id"] for status, body in answers if status == 201]
    assert len(ids) == 300
    group.until_level()

    for server in lost:
        server.kill()
        shutil.rmtree(server.data_dir)
    status, body = survivor.post("/api/v1/enqueue", {"queue": "q", "payload": {}})
    assert status == 503, body

    # Not while it runs, and not without being told twice.
    code, words = recover(survivor, "--yes")
    assert (code, "is in use by process" in words) == (1, True), words
    survivor.kill()
    code, words = recover(survivor)
    assert code == 2, words
    assert "Whatever n2, n3 acknowledged behind entry" in words
    assert "Add --yes if you mean it" in words

    code, words = recover(survivor, "--yes")
    assert code == 0, words
    assert "n1 is a cluster of its own from entry" in words
    code, words = recover(survivor, "--yes")
    assert (code, words.strip()) == (0, "n1 is a cluster of its own already")

    survivor.start()
    with Client(survivor.address) as client:
        status, body = enqueue(client)
        assert status == 201, body
        ids.append(body["job_id"])
    assert fetch_documents(survivor.address, ids).keys() == set(ids)

    # The others come back with nothing, under their old names, and take part.
    for server in lost:
        server.start()
    group.until(lambda: group.voters() == 3, "all three have a vote again")
    group.until_level()
    for server in group.servers.values():
        assert fetch_documents(server.address, ids).keys() == set(ids)
    survivor.kill()
    group.until_leading(other_than="n1")
    with Client(*(server.address for server in lost)) as client:
        assert enqueue(client)[0] == 201
    survivor.start()
    group.until_level()
    # All at once and on disk: see judge.py.
    group.until(lambda: len({_stored(server) for server in group.servers.values()}) == 1, "all is on disk")
    for server in group.servers.values():
        server.kill()
    assert list(replicas_equal.check(group)) == []


def _stored(server):
    """How far a node's store is, by its own check."""
    return server.post("/api/v1/admin/check")[1]["index"]
