import pytest

from tests.storage.mirror.support import Mirrored
from tests.support.fsm import Fsm


@pytest.fixture
def fsm():
    """Tests of the mirror check the mirror; whether the store is sound is tested elsewhere."""
    return Fsm()


@pytest.fixture
def mirrored(fsm, tmp_path):
    """A mirror, which must be equal to the store when the test is over."""
    mirrored = Mirrored(fsm, tmp_path / "mirror")
    yield mirrored
    if mirrored.mirror.is_open:
        mirrored.flush()
        assert mirrored.differences() == []
    mirrored.close()
