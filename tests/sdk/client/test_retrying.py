"""When a request is sent again."""

import pytest

from corvo_sdk.call import Again, Call
from corvo_sdk.errors import (
    AnswerLost,
    BudgetExceeded,
    OutcomeUnknown,
    Overloaded,
    Unreachable,
    ValidationFailed,
)
from corvo_sdk.retrying import RetryPolicy
from corvo_sdk.worker.patience import Patience

POLICY = RetryPolicy(attempts=4, base_s=0.1, most_s=0.3)


def call(again=Again.KEYED, *, patient=True):
    return Call("POST", "/x", dict, again=again, patient=patient)


@pytest.mark.parametrize(
    "error", [Unreachable("gone"), AnswerLost("lost"), OutcomeUnknown("?"), Overloaded("full")]
)
def test_what_may_work_later_is_sent_again(error):
    assert POLICY.delay_s(call(), error, 1) is not None


@pytest.mark.parametrize("error", [ValidationFailed("no"), BudgetExceeded("no")])
def test_what_is_refused_is_not_sent_again(error):
    assert POLICY.delay_s(call(), error, 1) is None


@pytest.mark.parametrize(("error", "again"), [(Unreachable("gone"), True), (AnswerLost("lost"), False)])
def test_what_may_have_been_done_is_not_done_twice(error, again):
    assert (POLICY.delay_s(call(Again.NEVER), error, 1) is not None) is again


def test_patience_ends():
    error = Unreachable("gone")
    assert POLICY.delay_s(call(), error, 3) is not None
    assert POLICY.delay_s(call(), error, 4) is None
    assert POLICY.delay_s(call(patient=False), error, 1) is None


def test_delays_grow_and_vary_and_obey_the_server():
    delays = [POLICY.delay_s(call(), Unreachable("gone"), attempt) for attempt in (1, 2, 3)]
    assert 0.05 <= delays[0] <= 0.1 <= delays[1] <= 0.2
    assert 0.15 <= delays[2] <= 0.3
    assert len({POLICY.delay_s(call(), Unreachable("gone"), 1) for _ in range(20)}) > 1
    assert POLICY.delay_s(call(), Overloaded("full", facts={"retry_after_ms": 5_000}), 1) == 5.0


async def test_a_server_may_be_away_for_days(monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr("corvo_sdk.worker.patience.asyncio.sleep", sleep)
    patience = Patience()
    for _ in range(5_000):
        await patience.wait(Unreachable("gone"))
    assert 1.0 <= slept[-1] <= 2.0
    forever = RetryPolicy(attempts=10_000)
    assert forever.delay_s(call(), Unreachable("gone"), 9_999) <= forever.most_s
