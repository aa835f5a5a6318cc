"""`corvo cluster recover` on folders that it must leave alone. What it is for: tests/cluster."""

import subprocess
import sys
from contextlib import closing

import pytest

from chaos.process import Server, free_port
from corvo.storage import keys
from corvo.storage.datadir import DataDir


def recover(folder):
    command = [sys.executable, "-m", "corvo", "cluster", "recover", "--data-dir", str(folder), "--yes"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_folder_that_is_none_of_ours_is_left_alone(tmp_path):
    (tmp_path / "holiday.jpg").write_text("beach")
    code, words = recover(tmp_path)
    assert (code, "is not the data folder of a node" in words) == (2, True), words
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]


def test_a_folder_that_is_not_there_is_a_mistake(tmp_path):
    assert recover(tmp_path / "nowhere")[0] == 2


@pytest.mark.slow
def test_a_node_that_has_always_been_alone_needs_no_recovery(tmp_path):
    server = Server(tmp_path / "data", free_port(), "--raft-bind", "127.0.0.1:0")
    try:
        server.start()
        server.kill()
        code, words = recover(server.data_dir)
        assert (code, words.strip()) == (0, "node-1 is a cluster of its own already")
        server.start()
    finally:
        server.close()


@pytest.mark.slow
@pytest.mark.parametrize("missing", [(keys.ROSTER,), (keys.ROSTER, keys.META)], ids=["roster", "all"])
def test_a_node_killed_before_its_first_entries_reached_the_store_is_alone_as_well(tmp_path, missing):
    """The journal has them, and that is enough."""
    server = Server(tmp_path / "data", free_port(), "--raft-bind", "127.0.0.1:0")
    try:
        server.start()
        server.kill()
        forget(server.data_dir, missing)
        code, words = recover(server.data_dir)
        assert (code, words.strip()) == (0, "node-1 is a cluster of its own already")
        server.start()
    finally:
        server.close()


def forget(folder, stored):
    data = DataDir(folder, node_id="node-1")
    with closing(data), closing(data.open_store()) as store:
        store.write(dict.fromkeys(stored), sync=True)
