import pytest

from tests.fuzz.run import fuzz


@pytest.mark.slow
def test_no_request_brings_an_answer_that_is_not_documented():
    """A short run; `make fuzz MINUTES=10` is the long one."""
    assert fuzz("--phases", "fuzzing", "--max-examples", "12", "--seed", "1") == 0
