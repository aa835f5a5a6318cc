"""The testing aids, used as a user would: with the fixture."""

from datetime import timedelta

import pytest

from corvo_sdk import Retry, Worker


def test_a_delayed_job_comes_when_the_clock_is_pushed(corvo):
    corvo.client.enqueue("reminders", {"user": 7, "text": "hi"}, delay="2h")
    corvo.assert_enqueued("reminders", payload={"user": 7}, state="scheduled")

    corvo.clock.advance("1h59m")
    corvo.assert_enqueued("reminders", state="scheduled")

    corvo.clock.advance(timedelta(minutes=1))
    job = corvo.assert_enqueued("reminders", state="pending", count=1)
    assert job.payload["text"] == "hi"


def test_drain_runs_the_real_handlers_as_far_as_time_has_come(corvo):
    worker = Worker()
    seen = []

    @worker.task("mail")
    def send(job, ctx):
        seen.append(ctx.attempt)
        if ctx.attempt < 3:
            raise Retry("busy", after="1h")

    corvo.client.enqueue("mail", max_retries=5)

    assert (corvo.drain("mail", worker=worker).failed, seen) == (1, [1])
    corvo.clock.advance("1h")
    assert corvo.drain("mail", worker=worker).failed == 1
    corvo.clock.advance("1h")
    assert corvo.drain(worker=worker).completed == 1
    assert seen == [1, 2, 3]


def test_a_lease_runs_out_with_the_clock(corvo):
    corvo.client.enqueue("q")
    (job,) = corvo.client.protocol.fetch(["q"], lease_s=60)

    corvo.clock.advance("61s")

    assert corvo.client.get(job.job_id).state == "pending"


def test_what_is_not_there_is_told_with_what_is(corvo):
    corvo.client.enqueue("q", {"n": 1})
    with pytest.raises(AssertionError, match=r"0 jobs in 'q' match .*\n  job_\w+ pending {'n': 1}"):
        corvo.assert_enqueued("q", payload={"n": 2})
    corvo.refute_enqueued("q", payload={"n": 2})
    with pytest.raises(AssertionError):
        corvo.refute_enqueued("q", payload={"n": 1})


def test_a_clock_does_not_go_back(corvo):
    with pytest.raises(ValueError, match="forward"):
        corvo.clock.advance(-1)


def test_a_schedule_fires_with_the_clock(corvo):
    corvo.client.schedules.create("hourly", "reports", "@hourly", payload={"n": 1})
    corvo.refute_enqueued("reports")

    for _ in range(3):
        corvo.clock.advance("1h")

    corvo.assert_enqueued("reports", payload={"n": 1}, count=3)
