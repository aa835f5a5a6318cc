"""The access keeper: keys and roles on their way to the edge, and what the edge notes of their use."""

import pytest

from corvo.actors.access.keeper import AccessKeeper
from corvo.actors.access.messages import AccessChanged, KeyUsed
from corvo.core.access.api_key import decode_key
from corvo.core.errors import Overloaded
from corvo.ops.access import DeleteKey, SetKey, SetRole
from corvo.storage import keys

FIRST = SetKey("key_1", "admin", "*", "admin", (), b"1" * 32, True, None, "corvo init")


class Edge:
    """What the edge of the node has been told."""

    def __init__(self):
        self.news = []
        self.taken_in = 0

    def take_in(self):
        self.taken_in += 1

    @property
    def access(self):
        """What it was told of keys and roles; sessions are told apart."""
        return [news for news in self.news if isinstance(news, AccessChanged)]

    @property
    def key_ids(self):
        return [key.id for key in self.access[-1].keys]


@pytest.fixture
def edge():
    return Edge()


@pytest.fixture
def keep(path, edge):
    def keep(first=None):
        made = path.system.createActor(
            AccessKeeper, path.batcher, path.fsm, edge.news.append, first, edge.take_in
        )
        path.settle()
        return made

    return keep


def stored(path, key_id="key_1"):
    value = path.machine.state.store.get(keys.api_key(key_id))
    return None if value is None else decode_key(value)


def test_the_edge_learns_how_things_stand_as_soon_as_there_is_a_keeper(keep, edge):
    keep()
    assert (edge.access[-1].is_shut, edge.access[-1].keys) == (False, [])


def test_the_edge_is_told_of_every_change_and_of_nothing_else(path, keep, edge):
    keep()
    path.do(FIRST)
    path.settle()
    assert (edge.access[-1].is_shut, edge.key_ids) == (True, ["key_1"])
    told = len(edge.access)
    path.do(SetRole("looker", ()))
    path.do(DeleteKey("key_1"))
    path.settle()
    assert len(edge.access) == told + 2
    assert (edge.access[-1].is_shut, edge.key_ids) == (True, [])


def test_a_first_key_is_taken_in_once_there_is_a_leader(path, keep, edge):
    keep(FIRST)
    assert stored(path).created_by == "corvo init"
    assert edge.taken_in == 1
    assert edge.key_ids == ["key_1"]


def test_a_first_key_that_is_there_already_is_done_with(path, keep, edge):
    path.do(FIRST)
    keep(FIRST)
    assert edge.taken_in == 1


def test_a_first_key_that_is_turned_away_is_handed_in_again(path, keep, edge):
    path.consensus.refusal = Overloaded("full")
    keep(FIRST)
    assert (stored(path), edge.taken_in) == (None, 0)
    path.consensus.refusal = None
    path.advance(6)
    assert stored(path) is not None
    assert edge.taken_in == 1


def test_a_first_key_outlasts_the_crash_of_its_keeper(path, keep, edge):
    path.consensus.hold = True
    keeper = keep(FIRST)
    path.crash(keeper)
    path.consensus.lose_held()
    path.consensus.hold = False
    path.advance(6)
    assert stored(path) is not None
    assert edge.taken_in >= 1


def test_uses_of_a_few_seconds_are_written_down_together(path, keep):
    keeper = keep(FIRST)
    entries = path.entries
    now_ns = path.clock.now_ns()
    path.system.tell(keeper, KeyUsed("key_1", now_ns))
    path.system.tell(keeper, KeyUsed("key_2", now_ns))
    path.advance(4.9)
    assert path.entries == entries
    path.advance(0.2)
    assert path.entries == entries + 1
    assert stored(path).last_used_ns == now_ns


def test_a_use_that_could_not_be_written_down_is_not_mourned(path, keep):
    keeper = keep(FIRST)
    path.consensus.refusal = Overloaded("full")
    path.system.tell(keeper, KeyUsed("key_1", path.clock.now_ns()))
    path.advance(6)
    path.consensus.refusal = None
    later_ns = path.clock.now_ns()
    path.system.tell(keeper, KeyUsed("key_1", later_ns))
    path.advance(6)
    assert stored(path).last_used_ns == later_ns
