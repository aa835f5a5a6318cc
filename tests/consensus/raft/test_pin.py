"""The adapter knows the one release it was written for, and takes pickle away from it."""

import subprocess
import sys

import pysyncobj.journal
import pysyncobj.pickle
import pysyncobj.serializer
import pysyncobj.syncobj
import pysyncobj.tcp_connection
import pytest

from corvo.consensus.errors import PinBroken
from corvo.consensus.raft import pin, syncobj_state


@pytest.fixture(autouse=True)
def fresh_check():
    pin.check.cache_clear()
    yield
    pin.check.cache_clear()


def test_the_installed_release_is_accepted():
    pin.check()


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(pysyncobj.syncobj, "VERSION", "0.3.18")
    with pytest.raises(PinBroken, match=r"pysyncobj 0\.3\.18 is installed"):
        pin.check()


def test_an_altered_source_is_refused(monkeypatch, tmp_path):
    altered = tmp_path / "syncobj.py"
    altered.write_text("# not the release")
    monkeypatch.setattr(pysyncobj.syncobj, "__file__", str(altered))
    with pytest.raises(PinBroken, match="not that of its release"):
        pin.check()


def test_a_missing_method_is_refused(monkeypatch):
    monkeypatch.delattr(pysyncobj.syncobj.SyncObj, "_SyncObj__connectedToAnyone")
    with pytest.raises(PinBroken, match="no method connectedToAnyone"):
        pin.check()


def test_a_missing_attribute_is_refused():
    with pytest.raises(PinBroken, match="no attribute connectedNodes"):
        pin.check_attributes(object())


def test_every_override_is_in_the_list_that_is_checked():
    from corvo.consensus.raft.engine import Engine

    overridden = {
        name.removeprefix("_SyncObj__")
        for owner in (Engine, syncobj_state.SyncObjState)
        for name in vars(owner)
        if name.startswith("_SyncObj__")
    }
    assert overridden <= set(pin.METHODS)


def test_python_without_assertions_is_refused():
    code = "from corvo.consensus.raft import pin; pin.check()"
    run = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "does not run under python -O" in run.stderr


@pytest.mark.parametrize(
    "door",
    [
        lambda: pysyncobj.syncobj.pickle.loads(b"cos\nsystem\n(S'true'\ntR."),
        lambda: pysyncobj.syncobj.pickle.dumps(1),
        lambda: pysyncobj.serializer.pickle.load(None),
        lambda: pysyncobj.tcp_connection.pickle.loads(b"x"),
        lambda: pysyncobj.journal.loads(b"x"),
        lambda: pysyncobj.journal.dumps(1),
        lambda: pysyncobj.pickle.loads(b"x"),
        lambda: pysyncobj.pickle.pickle.loads(b"x"),
    ],
)
def test_nothing_can_be_unpickled_or_pickled(door):
    with pytest.raises(AssertionError, match="tried to use pickle"):
        door()
