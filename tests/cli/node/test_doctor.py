"""`corvo doctor` on folders that are sound, running, foreign and damaged; `corvo version`."""

import plyvel
import pytest

from chaos.process import Client, Server, free_port
from corvo.storage import datadir

pytestmark = pytest.mark.slow


@pytest.fixture
def stopped(tmp_path):
    """The folder of a node that has stopped after some work."""
    server = Server(tmp_path / "data", free_port())
    server.start()
    with Client(server.port) as client:
        for number in range(5):
            assert client.call("POST", "/api/v1/enqueue", {"queue": "q", "payload": {"n": number}})[0] == 201
    assert server.terminate() == 0
    server.close()
    return tmp_path / "data"


def test_a_sound_folder_is_sound(nowhere, stopped):
    ran = nowhere("doctor", stopped)
    assert ran.lines[-1] == "sound"
    assert "node node-1" in ran.out
    assert "store: " in ran.out
    found = nowhere("doctor", stopped, "-o", "json").json
    assert (found["sound"], found["problems"]) == (True, [])


def test_a_damaged_folder_is_told_in_sentences(nowhere, stopped):
    kv = plyvel.DB(str(datadir.current_store(stopped)))
    job_keys = [key for key, value in kv if b"job_" in key]
    kv.delete(job_keys[0])
    kv.close()
    ran = nowhere("doctor", stopped, code=1)
    assert ran.lines[-1].endswith("problems")
    assert "job_" in ran.out
    found = nowhere("doctor", stopped, "-o", "json", code=1).json
    assert found["sound"] is False
    assert found["problems"]


def test_a_running_node_is_asked_to_check_itself(cli, node):
    node.enqueue("q")
    ran = cli("doctor", node.server.data_dir)
    assert f"running as process {node.server.pid}" in ran.out
    assert ran.lines[-1] == "sound"


def test_a_folder_that_is_not_ours_is_said_to_be_so(nowhere, tmp_path):
    (tmp_path / "other").mkdir()
    assert "not a Corvo folder" in nowhere("doctor", tmp_path / "other", code=1).out
    assert nowhere("doctor", tmp_path / "none", code=2).out == ""
