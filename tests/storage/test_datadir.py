import json
import os
import stat

import pytest
import structlog

from corvo.storage import datadir
from corvo.storage.datadir import DataDir, DataDirProblem


def test_a_new_folder_is_made_and_found_again(tmp_path):
    data = DataDir(tmp_path / "data", node_id="n1")
    assert data.is_new
    data.open_store().close()
    data.close()
    again = DataDir(tmp_path / "data", node_id="n1")
    assert not again.is_new
    again.close()


def modes(folder):
    return {stat.S_IMODE(each.stat().st_mode) & 0o077 for each in (folder, *folder.rglob("*"))}


def test_what_is_in_the_folder_is_for_its_owner_only(tmp_path):
    before = os.umask(0)
    try:
        data = DataDir(tmp_path / "data", node_id="n1")
        data.open_store().close()
        data.note_running("127.0.0.1:1")
        assert modes(tmp_path / "data") == {0}
        data.close()
    finally:
        os.umask(before)


def test_a_folder_that_others_could_read_is_made_private(tmp_path):
    folder = tmp_path / "data"
    DataDir(folder, node_id="n1").close()
    for each in (folder, *folder.rglob("*")):
        each.chmod(0o777)
    with structlog.testing.capture_logs() as logged:
        DataDir(folder, node_id="n1").close()
    assert modes(folder) == {0}
    assert [line["event"] for line in logged] == ["data.made_private"]


def test_a_folder_that_is_not_ours_keeps_its_rights(tmp_path):
    (tmp_path / "letters").write_text("dear")
    tmp_path.chmod(0o755)
    with pytest.raises(DataDirProblem):
        DataDir(tmp_path, node_id="n1")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_one_folder_serves_one_node_at_a_time(tmp_path):
    data = DataDir(tmp_path, node_id="n1")
    data.note_running("127.0.0.1:1")
    assert datadir.is_locked(tmp_path)
    with pytest.raises(DataDirProblem, match=f"in use by process {os.getpid()}"):
        DataDir(tmp_path, node_id="n1")
    assert datadir.read_running(tmp_path)["http"] == "127.0.0.1:1"
    data.close()
    assert not datadir.is_locked(tmp_path)
    assert datadir.read_running(tmp_path) is None


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(DataDirProblem, match=r"thesis\.txt"):
        DataDir(tmp_path, node_id="n1")
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_folder_that_lost_its_marker_is_not_emptied(tmp_path):
    DataDir(tmp_path, node_id="n1").close()
    (tmp_path / "corvo.json").unlink()
    with pytest.raises(DataDirProblem, match=r"no corvo\.json"):
        DataDir(tmp_path, node_id="n1")
    assert (tmp_path / "kv-1").is_dir()


def test_a_folder_whose_first_marker_was_never_finished_is_made_again(tmp_path):
    (tmp_path / "corvo.tmp").write_text('{"form')
    folder = DataDir(tmp_path, node_id="n1")
    folder.open_store().close()
    folder.close()
    assert datadir.read_marker(tmp_path)["state"] == "ready"


def test_a_folder_whose_making_was_cut_short_is_made_again(tmp_path):
    (tmp_path / "kv-1").mkdir()
    (tmp_path / "corvo.json").write_text(json.dumps({"format": 1, "state": "creating", "node_id": "n1"}))
    data = DataDir(tmp_path, node_id="n1")
    assert data.is_new
    data.open_store().close()
    data.close()


@pytest.mark.parametrize(
    ("marker", "sentence"),
    [
        ('{"format": 99, "state": "ready", "node_id": "n1"}', "has format 99"),
        ('{"format": 1, "state": "ready", "node_id": "other"}', "belongs to node 'other'"),
        ('{"format": 1', "is damaged"),
        ('{"format": 1}', "is damaged"),
    ],
)
def test_a_marker_that_does_not_fit_refuses_the_folder(tmp_path, marker, sentence):
    DataDir(tmp_path, node_id="n1").close()
    (tmp_path / "corvo.json").write_text(marker)
    with pytest.raises(DataDirProblem, match=sentence):
        DataDir(tmp_path, node_id="n1")
    assert not datadir.is_locked(tmp_path)


def test_the_store_in_use_is_switched_by_its_name(tmp_path):
    data = DataDir(tmp_path, node_id="n1")
    (tmp_path / "kv-2").mkdir()
    datadir.point_store(tmp_path, "kv-2")
    assert datadir.current_store(tmp_path) == tmp_path / "kv-2"
    for name in ("kv-9", "../kv-1", ""):
        datadir.point_store(tmp_path, name)
        with pytest.raises(DataDirProblem, match="no store"):
            datadir.current_store(tmp_path)
    (tmp_path / "STORE").unlink()
    with pytest.raises(DataDirProblem, match="missing"):
        datadir.current_store(tmp_path)
    data.close()
