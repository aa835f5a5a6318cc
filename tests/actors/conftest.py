import pytest

from corvo.storage.invariants import check
from tests.support.write_path import WritePath


@pytest.fixture(params=range(4), ids="seed={}".format)
def path(request):
    """A node without its edge, in virtual time, in four different orders of events."""
    path = WritePath(request.param)
    yield path
    path.kv.full = False
    path.consensus.refusal = None
    path.advance(5)
    assert list(check(path.kv)) == []
    assert path.system.stats().crashes == path.crashes
