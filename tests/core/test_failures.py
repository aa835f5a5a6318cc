"""Messages that differ only in what is different each time are one failure."""

import pytest

from corvo.core.failures import NO_MESSAGE, failure_of


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ("timeout after 30s connecting to 10.0.0.7:25", "timeout after …s connecting to …"),
        ("user 4711 not found", "user … not found"),
        ("no such row: 1f8b2c3d-0000-4a4a-8b8b-123456789abc", "no such row: …"),
        ("mail to ann@example.com bounced", "mail to … bounced"),
        ("GET https://api.example.com/v1/a?x=1 answered 502", "GET … answered …"),
        ("KeyError: 'plan'", "KeyError: …"),
        ("object at 0x7f3a10 is gone", "object at … is gone"),
        ("commit 1f8b2c3d4e is gone", "commit … is gone"),
        ("job_01HX7Y2K3MN4 failed", "… failed"),
        ("late since 2026-01-31T08:00:00.5Z", "late since …"),
        ("balance is -1,234.50 of 1, 2, 3", "balance is … of …"),
        ("connection   refused\n  File x.py, line 3", "connection refused"),
        ("utf8 is not latin1", "utf8 is not latin1"),
        ("deadbeef is no number, and 'it''s' is two texts", "deadbeef is no number, and … is two texts"),
        ("é" * 400, "é" * 300),
        ("", NO_MESSAGE),
        ("\n", NO_MESSAGE),
    ],
)
def test_what_differs_each_time_is_taken_out(error, failure):
    assert failure_of(error) == failure


def test_other_words_stay_apart():
    assert failure_of("connection refused") != failure_of("connection reset")


def test_a_failure_is_its_own_failure():
    """Who searches for a group by its name finds it."""
    for error in ("user 4711 not found", "a 1 b 2: 3", "x…y 5", "'a' \"b\" 1-2-3"):
        assert failure_of(failure_of(error)) == failure_of(error)
