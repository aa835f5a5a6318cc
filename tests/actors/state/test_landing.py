"""From applied to on disk: the store writer, its lag, and a full disk."""

import pytest

from corvo.actors.kernel.api import Actor
from corvo.actors.kernel.sim import SimSystem
from corvo.actors.state.messages import Adopt, Adopted, Land, Landed, LandFailed, Resume
from corvo.actors.state.questions import AwaitIndex, FindJob
from corvo.actors.state.store_writer import StoreWriter
from corvo.actors.status import GetStatus
from corvo.core.errors import NotFound, Stale, StorageFull
from corvo.ops.enqueue import Enqueue
from corvo.storage import keys
from corvo.storage.memory import MemoryKv
from tests.support.write_path import FullKv


def test_an_answer_does_not_wait_for_the_store_but_a_read_sees_the_write(path):
    pending = path.submit(Enqueue(path.new_job()))
    answer = pending.answer()
    job_id = answer.outcomes[0].job_id

    found = path.system.ask(path.fsm, FindJob(job_id)).result()

    assert found.job.id == job_id
    path.settle()
    assert path.kv.get(keys.job(job_id)) is not None


def test_the_log_may_be_cut_behind_what_has_landed(path):
    path.do(Enqueue(path.new_job()))
    path.settle()
    assert path.consensus.stored_index == path.consensus.index


def test_a_missing_job_is_not_found(path):
    with pytest.raises(NotFound):
        path.system.ask(path.fsm, FindJob("job_x")).result()


def test_a_full_store_refuses_writes_keeps_reading_and_recovers_without_losing_anything(path):
    (first,) = path.do(Enqueue(path.new_job()))
    path.settle()
    path.kv.full = True
    (second,) = path.do(Enqueue(path.new_job()))  # The journal has it, so it is a promise.
    path.settle()

    with pytest.raises(StorageFull):
        path.submit(Enqueue(path.new_job())).answer()
    for job_id in (first.job_id, second.job_id):
        assert path.system.ask(path.fsm, FindJob(job_id)).result().job.id == job_id
    assert path.system.ask(path.fsm, GetStatus()).result().full

    path.advance(3)
    assert path.kv.get(keys.job(second.job_id)) is None
    path.kv.full = False
    path.advance(2)

    assert path.kv.reopened == 1
    assert path.kv.get(keys.job(second.job_id)) is not None
    assert path.do(Enqueue(path.new_job()))


def test_a_read_can_wait_for_an_index(path):
    path.do(Enqueue(path.new_job()))
    now = path.machine.index
    assert path.system.ask(path.fsm, AwaitIndex(now, 1_000)).result().index >= now

    waiting = path.system.ask(path.fsm, AwaitIndex(now + 1, 1_000))
    path.settle()
    assert not waiting.done()
    path.do(Enqueue(path.new_job()))
    assert waiting.result().index == now + 1


def test_a_read_that_waits_too_long_is_told_so(path):
    waiting = path.system.ask(path.fsm, AwaitIndex(999, 1_000))
    path.advance(1.1)
    with pytest.raises(Stale, match="999"):
        waiting.result()


# The writer by itself


class Store(FullKv):
    """Remembers what was written at once."""

    def __init__(self):
        super().__init__()
        self.batches = []
        self.adopted = None

    def write(self, writes, *, sync):
        super().write(writes, sync=sync)
        self.batches.append(dict(writes))

    def adopt(self, other):
        self.adopted = dict(self.scan(b"k", b"l"))


class Machine(Actor):
    """Hands entries to the writer and hears what became of them."""

    def __init__(self, writer):
        self.writer = writer
        self.heard = []

    def receiveUnrecognizedMessage(self, message, sender):
        self.heard.append(message)

    def receiveMsg_list(self, messages, sender):
        for message in messages:
            self.send(self.writer, message)


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def hand_over(store):
    """Hands messages over in one go and says what came back."""
    system = SimSystem(0)
    writer = system.createActor(StoreWriter, store, sync=True)
    machine = system.createActor(Machine, writer)

    def hand_over(*messages):
        system.tell(machine, list(messages))
        system.run_until_idle()
        actor = machine.instance
        heard, actor.heard = actor.heard, []
        return heard

    return hand_over


def land(index, **writes):
    return Land(index, 1, {key.encode(): value for key, value in writes.items()})


def test_entries_that_come_together_share_a_batch_and_the_last_word_on_a_key_counts(hand_over, store):
    heard = hand_over(land(2, k1=b"old", k2=b"here"), land(3, k1=b"new", k2=None), land(4, k3=b"x"))

    assert store.batches == [{b"k1": b"new", b"k2": None, b"k3": b"x"}]
    assert heard == [Landed(4, 1)]


def test_a_batch_does_not_grow_without_end(hand_over, store):
    entries = [land(index, **{f"k{index}.{n}": b"v" for n in range(1_500)}) for index in range(2, 8)]

    heard = hand_over(*entries)

    assert [len(batch) for batch in store.batches] == [4_500, 4_500]
    assert heard == [Landed(4, 1), Landed(7, 1)]


def test_a_full_disk_takes_none_of_them_and_all_come_again_after_it(hand_over, store):
    store.full = True
    entries = land(2, k1=b"a"), land(3, k2=b"b")
    assert hand_over(*entries) == [LandFailed(3)]
    assert hand_over(land(4, k3=b"c")) == []
    store.full = False
    store.try_reopen()

    heard = hand_over(Resume(), *entries, land(4, k3=b"c"))

    assert heard == [Landed(4, 1)]
    assert dict(store.scan(b"k", b"l")) == {b"k1": b"a", b"k2": b"b", b"k3": b"c"}


def test_what_came_before_another_store_goes_to_the_old_one(hand_over, store):
    assert hand_over(land(2, k1=b"a"), Adopt(MemoryKv())) == [Landed(2, 1), Adopted()]
    assert store.adopted == {b"k1": b"a"}
