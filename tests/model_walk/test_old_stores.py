"""Stores that were written by state machine revision 2, before there were namespaces: what is in them is in
`default`, and all of it goes on as before."""

import gzip
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from corvo.actors.state.reader import StateReader
from corvo.core.namespace import DEFAULT, Reach, qualified
from corvo.ops.job_admin import Action
from corvo.storage.invariants import check
from corvo.storage.memory import MemoryKv
from corvo.storage.mirror import database, files, rebuild
from corvo.storage.mirror.compare import compare
from corvo.storage.mirror.search import search
from corvo.storage.mirror.search.query import Query
from tests.storage.mirror.support import hold
from tests.support.fsm import Fsm

STORES = Path(__file__).with_name("stores_of_revision_2.gz")
NUMBERS = range(4)


@pytest.fixture(params=NUMBERS)
def old(request):
    pairs = msgspec.msgpack.decode(
        gzip.decompress(STORES.read_bytes()), type=list[list[tuple[bytes, bytes]]]
    )[request.param]
    kv = MemoryKv()
    kv.write(dict(pairs), sync=False)
    fsm = Fsm(kv)
    fsm.clock.advance(ms=fsm.machine.state.meta.last_ns // 1_000_000)
    return fsm


def test_a_store_of_before_is_sound_and_all_of_it_is_in_the_default_namespace(old):
    assert list(check(old.kv)) == []
    state = old.machine.state
    assert set(state.holdings) <= {DEFAULT}
    reader = StateReader(state)
    assert len(reader.queues(None, None).queues) == len(state.queues)
    assert reader.queues(None, Reach("acme")).queues == []


def test_a_store_of_before_goes_on_and_takes_a_namespace_in(old, tmp_path):
    ids = [old.enqueue(qualified("acme", "mail")), old.enqueue("mail")]
    assert [whole.job.id for whole in old.fetch("mail", count=100)] == ids[1:]
    for job_id in sorted(StateReader(old.machine.state).jobs(list(_job_ids(old)), None).jobs, key=_id)[:5]:
        old.act(Action.DELETE, job_id.job.id)
    old.restart()
    assert list(check(old.kv)) == []
    *_, built = rebuild.build(old.kv, tmp_path)
    mirror = files.publish(tmp_path, built.path)
    assert list(compare(old.kv, mirror)) == []
    with closing(database.open_reader(mirror)) as db:
        found = hold(search.search(Query(reach=Reach("acme"))), db)
        assert [hit.job.id for hit in found.hits] == ids[:1]
        others = hold(search.search(Query(limit=1_000)), db)
        assert len(others.hits) == len(_job_ids(old)) - 1


def _job_ids(fsm):
    return [key[2:].decode() for key in fsm.dump() if key.startswith(b"j|")]


def _id(found):
    return found.job.id
