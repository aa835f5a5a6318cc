"""A worker whose key no longer counts ends with an error that says so, instead of asking for ever."""

import threading

import pytest

from chaos.process import Server, free_port
from corvo.core.access.api_key import new_key
from corvo_sdk import Client, Worker, errors


@pytest.fixture(scope="module")
def shut(tmp_path_factory):
    """(url, an admin's key)"""
    folder, key = tmp_path_factory.mktemp("shut"), new_key()
    (folder / "api.key").write_text(key)
    flags = ("--durable", "off", "--raft-bind", "127.0.0.1:0", "--api-key-file", str(folder / "api.key"))
    server = Server(folder / "data", free_port(), *flags)
    server.start()
    yield f"http://127.0.0.1:{server.port}", key
    server.close()


def run(worker):
    """What it ends with."""
    ended = []

    def body():
        try:
            worker.run()
        except errors.CorvoError as error:
            ended.append(error)

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    return thread, ended


@pytest.mark.parametrize("transport", ["stream", "long-poll", "auto"])
def test_a_revoked_key_ends_the_worker(shut, queue, transport, caplog):
    url, root = shut
    with Client(url, api_key=root) as admin:
        made = admin.keys.create(f"w-{transport}", role="worker")
        worker = Worker(url, api_key=made.api_key, transport=transport, concurrency=1, lease=3, grace=1)
        begun = threading.Event()

        @worker.task(queue)
        def handle(job):
            begun.set()

        thread, ended = run(worker)
        done = admin.enqueue(queue).job_id
        assert admin.wait(done, "20s").state == "completed"
        assert begun.is_set()
        admin.keys.delete(made.id)
        thread.join(timeout=60)
    assert not thread.is_alive()
    assert type(ended[0]) is errors.Unauthorized
    assert "refuses this worker's API key" in caplog.text


def test_a_role_that_may_not_fetch_ends_the_worker(shut, queue):
    url, root = shut
    with Client(url, api_key=root) as admin:
        made = admin.keys.create("p", role="producer")
    worker = Worker(url, api_key=made.api_key, concurrency=1, lease=3, grace=1)
    worker.task(queue)(lambda job: None)
    thread, ended = run(worker)
    thread.join(timeout=60)
    assert type(ended[0]) is errors.Forbidden


def test_key_and_namespace_go_along_on_the_stream(shut, queue):
    url, root = shut
    with Client(url, api_key=root, namespace="acme") as admin:
        worker = Worker(url, api_key=root, namespace="acme", transport="stream", concurrency=1)
        worker.task(queue)(lambda job: "of acme")
        with worker.running():
            job = admin.wait(admin.enqueue(queue).job_id, "20s")
        assert job.result == "of acme"
    with Client(url, api_key=root) as elsewhere, pytest.raises(errors.NotFound):
        elsewhere.get(job.id)
