"""Two stopped nodes, byte for byte."""

import pytest
from click.testing import CliRunner

from corvo.cli.commands.server.doctor import command
from corvo.storage.datadir import DataDir
from tests.support.fsm import Fsm


def make(folder, *, jobs=5, change=None):
    data = DataDir(folder, node_id=folder.name)
    fsm = Fsm(data.open_store())
    for _ in range(jobs):
        fsm.enqueue("q")
    if change is not None:
        fsm.kv.write(change, sync=False)
    fsm.kv.close()
    data.close()
    return folder


def doctor(one, *others):
    words = [str(one)]
    for other in others:
        words += ["--compare", str(other)]
    return CliRunner().invoke(command, words)


@pytest.fixture
def one(tmp_path):
    return make(tmp_path / "n1")


def test_equal_nodes_are_sound(one, tmp_path):
    result = doctor(one, make(tmp_path / "n2"), make(tmp_path / "n3"))
    assert result.exit_code == 0, result.output
    assert result.output.count("compared with") == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({b"q|q": b"other"}, "b'q|q' has another value"),
        ({b"zz": b"more"}, "b'zz' is only in"),
        ({b"q|q": None}, "b'q|q' is not in"),
    ],
)
def test_every_difference_is_named(one, tmp_path, change, said):
    result = doctor(one, make(tmp_path / "n2", change=change))
    assert result.exit_code == 1
    assert said in result.output


def test_nodes_that_stand_at_different_entries_cannot_be_compared(one, tmp_path):
    result = doctor(one, make(tmp_path / "n2", jobs=6))
    assert result.exit_code == 1
    assert "let the nodes catch up" in result.output
