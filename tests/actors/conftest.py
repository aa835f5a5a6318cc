import pytest
from hypothesis import settings

from corvo.storage.invariants import check
from tests.support.webhooks import FakeCourier, start
from tests.support.write_path import WritePath

#: Orders of events that each test is run in: two by default, four in `make test`.
SEEDS = 2 if settings.default.max_examples < 100 else 4


@pytest.fixture(params=range(SEEDS), ids="seed={}".format)
def path(request):
    """A node without its edge, in virtual time, in several different orders of events."""
    path = WritePath(request.param)
    yield path
    path.kv.full = False
    path.consensus.refusal = None
    path.advance(5)
    assert list(check(path.kv)) == []
    assert path.system.stats().crashes == path.crashes


@pytest.fixture
def sender(path):
    return FakeCourier(path.system)


@pytest.fixture
def hooks(path, sender):
    return start(path, sender)
