"""Sealed queues on the command line: people read plain text, and keep their keys in order."""

import os
import signal

import pytest

from chaos.process import Server, free_port
from tests.cli.conftest import Cli, Node
from tests.support.sealing import files_with, write_keys

pytestmark = pytest.mark.slow


@pytest.fixture
def keys(tmp_path):
    file = tmp_path / "keys.json"
    write_keys(file, "k1")
    return file


@pytest.fixture
def node(tmp_path, keys):
    flags = ("--seal", "default/pay", "--seal-keys", str(keys), "--raft-bind", f"127.0.0.1:{free_port()}")
    server = Server(tmp_path / "data", free_port(), *flags)
    server.start()
    made = Node(server)
    yield made
    made.client.close()
    server.close()


@pytest.fixture
def cli(node, tmp_path):
    return Cli(node.server.port, tmp_path / "home")


def test_a_reader_sees_plain_text_and_the_disk_does_not(node, cli, tmp_path):
    job_id = cli("enqueue", "pay", '{"card":"4111-plain"}', "-o", "id").out.strip()
    assert cli("inspect", job_id, "-o", "json").json["payload"] == {"card": "4111-plain"}
    node.fail(node.fetch("pay"), "plain trouble")
    assert "plain trouble" in cli("inspect", job_id).out
    assert "sealed" in cli("search", "payload~4111").err
    assert "sealed" in cli("search", "queue:pay payload~4111", code=1).err
    node.server.terminate()
    assert files_with(tmp_path / "data", b"4111-plain", b"plain trouble") == {}


def test_after_reseal_the_old_key_can_be_given_up(node, cli, keys, tmp_path):
    job_id = cli("enqueue", "pay", '{"card":"4111"}', "-o", "id").out.strip()
    cli("schedules", "create", "nightly", "pay", "0 3 * * *", "--payload", '{"card":"4112"}')
    assert "key 'k1'" in cli("doctor", tmp_path / "data").out
    write_keys(keys, "k1", "k2")
    os.kill(node.server.pid, signal.SIGHUP)
    # The first job with the new key tells that the node has read it.
    while "key 'k2'" not in cli("doctor", tmp_path / "data").out:
        cli("enqueue", "pay", "{}")
    assert cli("reseal").out.startswith("reseal: ")
    assert "key 'k1'" not in cli("doctor", tmp_path / "data").out
    node.server.terminate()
    write_keys(keys, "k2")
    node.server.start()
    assert cli("inspect", job_id, "-o", "json").json["payload"] == {"card": "4111"}
    assert cli("schedules", "show", "nightly", "-o", "json").json["payload"] == {"card": "4112"}


def test_doctor_tells_of_a_key_that_is_missing(node, cli, keys, tmp_path):
    cli("enqueue", "pay", '{"card":"4111"}')
    node.server.terminate()
    assert "sealed with key 'k1': 1 value" in cli("doctor", tmp_path / "data").out
    write_keys(keys, "k2")
    node.server.start()
    assert "does not have the seal key 'k1'" in cli("doctor", tmp_path / "data", code=1).out


def test_a_node_does_not_start_with_keys_that_others_may_read(keys, tmp_path):
    keys.chmod(0o644)
    cli = Cli(free_port(), tmp_path / "home")
    ran = cli("serve", "--data-dir", tmp_path / "d", "--seal", "default/x", "--seal-keys", keys, code=1)
    assert "chmod 600" in ran.err
