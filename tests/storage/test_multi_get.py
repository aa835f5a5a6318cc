"""Many keys at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.storage.leveldb import LevelDbKv
from corvo.storage.memory import MemoryKv
from corvo.storage.multi_get import get_many

held = {b"k%04d" % number: b"v%d" % number for number in range(0, 1_000, 2)}


@pytest.fixture(scope="module", params=["memory", "leveldb"])
def kv(request, tmp_path_factory):
    made = MemoryKv() if request.param == "memory" else LevelDbKv(tmp_path_factory.mktemp("kv"), create=True)
    made.write(held, sync=False)
    yield made
    made.close()


@given(numbers=st.sets(st.integers(0, 1_100)))
def test_every_key_comes_once_in_order_with_what_a_lookup_would_find(kv, numbers):
    wanted = [b"k%04d" % number for number in numbers]
    assert list(get_many(kv, wanted)) == [(key, held.get(key)) for key in sorted(wanted)]


def test_keys_far_apart_are_looked_up_instead_of_walked_to(kv):
    asked = []

    class Counting:
        def scan(self, start, stop):
            asked.append(start)
            return kv.scan(start, stop)

    ends = [b"k0000", b"k0002", b"k0998"]
    assert [key for key, _ in get_many(Counting(), ends)] == ends
    assert asked == [b"k0000", b"k0998"]
