"""What is recorded for all nodes, and by whom."""

from dataclasses import replace

import pytest

from corvo.actors.cluster.shared_settings import SettingsChange
from corvo.actors.cluster.shared_settings_keeper import SharedSettingsKeeper
from corvo.core.shared_settings import decode_shared_settings
from corvo.ops.shared_settings import SetSharedSettings
from corvo.storage import keys


@pytest.fixture
def cluster(path, monkeypatch):
    """The node is one of two."""
    alone = path.consensus.status
    monkeypatch.setattr(path.consensus, "status", lambda: replace(alone(), members={"n1": None, "n2": None}))
    return path


def keep(path, own, **settings):
    change = SettingsChange(**settings)
    keeper = path.system.createActor(
        SharedSettingsKeeper, own, path.consensus, path.batcher, path.fsm, change
    )
    path.settle()
    return keeper


def recorded(path):
    return decode_shared_settings(path.machine.state.store.get(keys.SHARED_SETTINGS))


def test_the_first_leader_of_several_records_its_own(cluster):
    keep(cluster, {"retention": 1})
    assert recorded(cluster) == {"retention": 1}
    keep(cluster, {"retention": 2})
    assert recorded(cluster) == {"retention": 1}


def test_a_change_is_made_once_and_not_again_when_its_actor_is_restarted(cluster):
    cluster.do(SetSharedSettings({"retention": 1}))
    keeper = keep(cluster, {"retention": 2}, is_due=True)
    assert recorded(cluster) == {"retention": 2}
    cluster.do(SetSharedSettings({"retention": 3}))
    cluster.crash(keeper)
    cluster.advance(5)
    assert recorded(cluster) == {"retention": 3}


def test_a_change_that_was_not_made_yet_is_made_by_the_restarted_actor(cluster):
    cluster.do(SetSharedSettings({"retention": 1}))
    cluster.consensus.hold = True
    keeper = keep(cluster, {"retention": 2}, is_due=True)
    cluster.crash(keeper)
    cluster.consensus.lose_held()
    cluster.consensus.hold = False
    cluster.advance(5)
    assert recorded(cluster) == {"retention": 2}
