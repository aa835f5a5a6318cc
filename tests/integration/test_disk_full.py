"""A full disk: writes are refused, reads go on, nothing is lost, and it recovers by itself."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from chaos.process import Client, Server, free_port

_SIZE_MB = 48
_PAYLOAD = "x" * 60_000


@pytest.fixture
def small(tmp_path):
    """A node on a disk of its own that is small: a tmpfs only its process can see."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f'mount -t tmpfs -o size={_SIZE_MB}m tmpfs {disk} && exec "$@"'
    namespace = ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-rm")
    tried = subprocess.run([*namespace, "mount", "-t", "tmpfs", "tmpfs", str(disk)], check=False)
    if tried.returncode != 0:
        pytest.skip("this machine lets nobody mount a disk of their own")
    server = Server(disk / "data", free_port(), before=(*namespace, "sh", "-c", mount, "sh"))
    try:
        server.start()
        yield server
    finally:
        server.close()


def inside(server) -> Path:
    """The disk as the process sees it."""
    return Path(f"/proc/{server.pid}/root{server.data_dir.parent}")


def fill(disk: Path, leave_bytes: int) -> Path:
    ballast = disk / "ballast"
    space = os.statvfs(disk)
    with ballast.open("wb") as stream:
        stream.write(b"b" * (space.f_bavail * space.f_frsize - leave_bytes))
    return ballast


def test_a_full_disk_refuses_writes_serves_reads_and_recovers(small):
    with Client(small.port) as client:
        ballast = fill(inside(small), leave_bytes=2_000_000)
        accepted, refusals = [], []
        for number in range(400):
            body = {"queue": "q", "payload": {"n": number, "text": _PAYLOAD}}
            status, answer = client.call("POST", "/api/v1/enqueue", body)
            if status == 201:
                accepted.append(answer["job_id"])
            else:
                refusals.append((status, answer["code"]))
                if len(refusals) == 3:
                    break
        assert accepted
        assert refusals == [(503, "STORAGE_FULL")] * 3

        status, body = client.call("POST", "/api/v1/jobs/bulk-get", {"job_ids": accepted})
        assert (status, len(body["jobs"])) == (200, len(accepted))
        status, queues = client.call("GET", "/api/v1/queues")
        assert (status, queues[0]["pending"]) == (200, len(accepted))
        assert client.call("GET", "/api/v1/metrics/throughput")[0] == 200

        ballast.unlink()
        deadline = time.monotonic() + 30
        while True:
            status, answer = client.call("POST", "/api/v1/enqueue", {"queue": "q", "payload": {}})
            if status == 201:
                accepted.append(answer["job_id"])
                break
            assert answer["code"] == "STORAGE_FULL", answer
            assert time.monotonic() < deadline, "it did not recover"
            time.sleep(0.1)
        status, body = client.call("POST", "/api/v1/jobs/bulk-get", {"job_ids": accepted})
        assert len(body["jobs"]) == len(accepted)
        assert client.call("POST", "/api/v1/admin/check")[1]["problems"] == []


def test_a_node_killed_with_a_full_disk_starts_again_when_there_is_room(small, tmp_path):
    disk = inside(small)
    fill(disk, leave_bytes=1_000_000)
    accepted = []
    with Client(small.port) as client:
        while True:
            body = {"queue": "q", "payload": {"text": _PAYLOAD}}
            status, answer = client.call("POST", "/api/v1/enqueue", body)
            if status != 201:
                break
            accepted.append(answer["job_id"])
    # The disk goes with its process, so what is on it is saved before.
    saved = tmp_path / "saved"
    os.kill(small.pid, 19)  # SIGSTOP: what is on the disk now is what a crash would leave.
    subprocess.run(["cp", "-a", str(disk / "data"), str(saved)], check=True)
    small.kill()
    (saved / "LOCK").unlink()
    again = Server(saved, free_port())
    try:
        again.start()
        with Client(again.port) as client:
            _, body = client.call("POST", "/api/v1/jobs/bulk-get", {"job_ids": accepted})
            assert len(body["jobs"]) == len(accepted)
        assert again.doctor()[0] == 0
    finally:
        again.close()
