import pytest

from corvo.core.backoff import Backoff, delay_ms


@pytest.mark.parametrize(
    ("strategy", "attempt", "expected_s"),
    [
        (Backoff.NONE, 3, 0),
        (Backoff.FIXED, 7, 5),
        (Backoff.LINEAR, 3, 15),
        (Backoff.EXPONENTIAL, 1, 5),
        (Backoff.EXPONENTIAL, 2, 10),
        (Backoff.EXPONENTIAL, 3, 20),
        (Backoff.EXPONENTIAL, 10, 600),
        (Backoff.EXPONENTIAL, 60_000, 600),
    ],
)
def test_the_delay_grows_as_the_strategy_says_up_to_the_cap(strategy, attempt, expected_s):
    assert delay_ms(strategy, attempt, 5_000, 600_000, 0.0) == expected_s * 1_000


def test_a_cap_of_zero_means_no_cap_but_never_more_than_ten_years():
    assert delay_ms(Backoff.LINEAR, 1_000, 5_000, 0, 0.0) == 5_000_000
    assert delay_ms(Backoff.EXPONENTIAL, 65_535, 5_000, 0, 0.0) == 10 * 365 * 86_400_000


def test_jitter_stretches_and_shrinks_but_never_below_zero():
    assert delay_ms(Backoff.FIXED, 1, 1_000, 0, 0.25) == 1_250
    assert delay_ms(Backoff.FIXED, 1, 1_000, 0, -0.25) == 750
    assert delay_ms(Backoff.FIXED, 1, 1_000, 0, -1.0) == 0
