"""Open or shut: real nodes that start, or say why not."""

import stat
import subprocess
import sys

import pytest

from chaos.process import Client, Server, free_port
from corvo.config import Config
from corvo.core.access.api_key import new_key
from corvo.core.clock import SystemClock
from corvo.node.opening import AccessProblem, check_open, first_key, may_be_open
from corvo.storage.first_key import make_first_key, waiting_key

#: Not loopback, and no machine has it: what gets as far as listening there fails.
BEYOND = "192.0.2.1:8080"


def init(folder, *flags, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "corvo", "init", str(folder), *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done
    return done


def refusal(folder, *flags):
    """What a node says that does not start."""
    command = [
        sys.executable,
        "-m",
        "corvo",
        "serve",
        "--data-dir",
        str(folder),
        "--raft-bind",
        "127.0.0.1:0",
    ]
    done = subprocess.run([*command, *flags], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1, done
    assert "Traceback" not in done.stderr, done
    return done.stderr.strip().splitlines()[-1]


@pytest.fixture
def serve(tmp_path):
    servers = []

    def serve(*flags):
        server = Server(
            tmp_path / "data", free_port(), "--raft-bind", "127.0.0.1:0", "--durable", "off", *flags
        )
        servers.append(server)
        server.start()
        return server

    yield serve
    for server in servers:
        server.close()


def status(server, key=None):
    with Client(server.address, api_key=key) as client:
        return client.call("GET", "/api/v1/queues")[0]


# Beyond loopback


@pytest.mark.parametrize("bind", ["0.0.0.0:8080", "[::]:8080", "10.1.2.3:8080", "queue.example.com:1"])
def test_a_bind_beyond_loopback_needs_a_key(bind, tmp_path):
    config = Config(bind=bind, data_dir=str(tmp_path))
    assert not may_be_open(config)
    with pytest.raises(AccessProblem):
        check_open(config, has_credentials=False)
    check_open(config, has_credentials=True)
    check_open(Config(bind=bind, data_dir=str(tmp_path), insecure_open=True), has_credentials=False)


@pytest.mark.parametrize("bind", ["127.0.0.1:8080", "[::1]:8080", "localhost:8080", "127.9.9.9:1"])
def test_loopback_may_be_open(bind):
    check_open(Config(bind=bind), has_credentials=False)


def test_a_node_that_others_could_reach_says_what_to_do_instead_of_starting(tmp_path):
    said = refusal(tmp_path / "data", "--bind", BEYOND)
    assert "is open to other machines, and no key protects it" in said
    assert f"`corvo init {tmp_path / 'data'}`" in said
    assert "--insecure-open" in said


def test_with_a_first_key_a_key_file_or_by_explicit_wish_it_goes_on_to_listen(tmp_path):
    """Which fails only because no machine has that address."""
    init(tmp_path / "with-key")
    assert "listen on 192.0.2.1" in refusal(tmp_path / "with-key", "--bind", BEYOND)
    (tmp_path / "api.key").write_text(new_key())
    assert "listen on 192.0.2.1" in refusal(
        tmp_path / "with-file", "--bind", BEYOND, "--api-key-file", str(tmp_path / "api.key")
    )
    assert "listen on 192.0.2.1" in refusal(tmp_path / "by-wish", "--bind", BEYOND, "--insecure-open")


# The first key


def test_init_shows_the_key_once_and_leaves_it_to_its_owner_alone(tmp_path):
    folder = tmp_path / "new" / "data"
    shown = init(folder, "--name", "ann").stdout
    key = (folder / "admin.key").read_text().strip()
    assert shown.count(key) == 1
    assert waiting_key(folder).name == "ann"
    for name in ("admin.key", "first-key.json"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert key not in (folder / "first-key.json").read_text()


def test_a_first_key_survives_kill_9_before_and_after_it_is_taken_in(serve, tmp_path):
    key = init(tmp_path / "data").stdout.splitlines()[0]
    server = serve()
    assert status(server, key) == 200
    server.kill()
    server.start()
    assert (status(server), status(server, key)) == (401, 200)


def test_a_key_that_waits_is_taken_in_and_the_note_of_it_removed(serve, tmp_path):
    key = init(tmp_path / "data").stdout.splitlines()[0]
    server = serve()
    with Client(server.address, api_key=key) as client:
        while not (listed := client.call("GET", "/api/v1/auth/keys")[1]):
            pass
        assert [(each["name"], each["created_by"]) for each in listed] == [("admin", "corvo init")]
        while (tmp_path / "data" / "first-key.json").exists():
            client.call("GET", "/healthz")
        # From then on it is a key like any other: it can be revoked, and the node stays shut.
        assert client.call("DELETE", f"/api/v1/auth/keys/{listed[0]['id']}")[0] == 200
        assert client.call("GET", "/api/v1/queues")[0] == 401
    assert status(server) == 401
    server.terminate()
    server.start()
    assert (status(server), status(server, key)) == (401, 401)


def test_who_has_lost_all_keys_gets_back_in_by_init(serve, tmp_path):
    lost = init(tmp_path / "data").stdout.splitlines()[0]
    server = serve()
    assert status(server, lost) == 200
    busy = init(tmp_path / "data", code=6)
    assert "corvo keys create" in busy.stderr
    server.terminate()
    found = init(tmp_path / "data", "--name", "again").stdout.splitlines()[0]
    server.start()
    assert (status(server), status(server, found)) == (401, 200)


def test_a_damaged_note_of_the_first_key_is_told_instead_of_opening_the_node(tmp_path):
    folder = tmp_path / "data"
    for damage in ("", "{", '{"key_id": "k", "name": "n", "hash": "no"}', '{"key_id": "k"}'):
        init(folder)
        (folder / "first-key.json").write_text(damage)
        with pytest.raises(AccessProblem, match="damaged first-key"):
            first_key(folder)
    assert "run `corvo init" in refusal(folder, "--bind", f"127.0.0.1:{free_port()}")


def test_what_a_killed_init_leaves_behind_does_not_stand_in_the_way(tmp_path):
    folder = tmp_path / "data"
    make_first_key(folder, "admin", SystemClock())
    for name in ("first-key.json.tmp", "admin.key.tmp"):
        (folder / name).write_text("half")
    init(folder)
    assert not (folder / "admin.key.tmp").exists()


def test_init_leaves_the_folder_of_something_else_alone(tmp_path):
    (tmp_path / "theirs.txt").write_text("x")
    assert "is not a Corvo folder" in init(tmp_path, code=1).stderr
    assert [child.name for child in tmp_path.iterdir()] == ["theirs.txt"]


# A key from a file


def test_a_key_from_a_file_is_an_admins_on_this_node(serve, tmp_path):
    file, key = tmp_path / "api.key", new_key()
    file.write_text(key + "\n")
    server = serve("--api-key-file", str(file))
    assert (status(server), status(server, key), status(server, new_key())) == (401, 200, 401)


@pytest.mark.parametrize("text", ["hunter2", "", None])
def test_a_file_without_a_key_is_told_by_name(tmp_path, text):
    file = tmp_path / "api.key"
    if text is not None:
        file.write_text(text)
    said = refusal(tmp_path / "data", "--bind", f"127.0.0.1:{free_port()}", "--api-key-file", str(file))
    assert str(file) in said
    assert ("corvo keys new" in said) == (text is not None)
