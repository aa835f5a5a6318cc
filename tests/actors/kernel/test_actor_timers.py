"""Wake-ups: on time, in order, and not after they were taken back."""

from datetime import timedelta

import pytest

from corvo.actors.kernel.alarms import SWEEP_ALARMS_MIN, Alarms, Call
from corvo.actors.kernel.api import Actor, ActorExitRequest, Message


class Wake(Message, frozen=True):
    """Ask for a wake-up after so many milliseconds."""

    after_ms: int
    payload: str = "ring"


class Cancel(Message, frozen=True):
    """Take the last wake-up back."""


class Crash(Message, frozen=True):
    pass


class Sleeper(Actor):
    def __init__(self, heard):
        self.heard = heard
        self.timer = None

    def receiveMsg_Wake(self, msg, sender):
        self.timer = self.wakeupAfter(timedelta(milliseconds=msg.after_ms), payload=msg.payload)

    def receiveMsg_Cancel(self, msg, sender):
        self.timer.cancel()
        self.timer.cancel()

    def receiveMsg_WakeupMessage(self, msg, sender):
        assert sender is self.myAddress
        self.heard.append((msg.payload, msg.delayPeriod))

    def receiveMsg_Crash(self, msg, sender):
        raise ValueError


@pytest.fixture
def heard():
    return []


@pytest.fixture
def sleeper(system, heard):
    return system.createActor(Sleeper, heard)


def test_a_wakeup_comes_when_its_time_has_passed_and_not_before(runtime, system, sleeper, heard):
    system.tell(sleeper, Wake(100, "tea"))

    runtime.advance(milliseconds=99)
    assert heard == []

    runtime.advance(milliseconds=2)
    assert heard == [("tea", timedelta(milliseconds=100))]
    runtime.advance(seconds=10)
    assert len(heard) == 1


def test_wakeups_come_in_order_of_time(runtime, system, sleeper, heard):
    for after_ms in (30, 10, 20, 0):
        system.tell(sleeper, Wake(after_ms, str(after_ms)))

    runtime.advance(seconds=1)

    assert [payload for payload, _ in heard] == ["0", "10", "20", "30"]


def test_a_time_in_the_past_is_now(runtime, system, sleeper, heard):
    system.tell(sleeper, Wake(-50, "late"))

    runtime.advance(milliseconds=1)

    assert [payload for payload, _ in heard] == ["late"]


def test_a_cancelled_wakeup_does_not_come(runtime, system, sleeper, heard):
    system.tell(sleeper, Wake(100))
    system.tell(sleeper, Cancel())

    runtime.advance(seconds=1)

    assert heard == []
    assert system.stats().alarms == 0


def test_a_wakeup_can_be_taken_back_while_it_waits_in_the_mailbox(runtime, system, heard):
    class Hasty(Sleeper):
        def receiveMsg_Cancel(self, msg, sender):
            self.timer.ring()  # The time has come: it now waits behind the message being handled.
            super().receiveMsg_Cancel(msg, sender)

    hasty = system.createActor(Hasty, heard)
    system.tell(hasty, Wake(100))
    system.tell(hasty, Cancel())

    runtime.advance(seconds=1)

    assert heard == []


def test_cancelling_after_the_wakeup_changes_nothing(runtime, system, sleeper, heard):
    system.tell(sleeper, Wake(10))
    runtime.advance(milliseconds=20)

    system.tell(sleeper, Cancel())
    system.tell(sleeper, Wake(10))
    runtime.advance(milliseconds=20)

    assert len(heard) == 2
    assert system.stats().alarms == 0


def test_a_crash_cancels_the_wakeups_of_the_old_instance(runtime, system, sleeper, heard):
    system.tell(sleeper, Wake(100))
    system.tell(sleeper, Crash())

    runtime.advance(seconds=1)

    assert heard == []
    assert system.stats().alarms == 0


def test_the_end_of_an_actor_cancels_its_wakeups(runtime, system, sleeper, heard):
    system.tell(sleeper, Wake(100))
    system.tell(sleeper, ActorExitRequest())
    runtime.settle()

    assert system.stats().alarms == 0
    runtime.advance(seconds=1)
    assert system.stats().dead_letters == 0


def test_timers_that_are_set_and_cancelled_all_the_time_do_not_pile_up():
    alarms = Alarms()

    for number in range(10_000):
        alarm = Call(lambda: None)
        alarms.add(number, alarm)
        alarms.cancel(alarm)
        assert len(alarms) == 0

    assert len(alarms._heap) <= SWEEP_ALARMS_MIN + 1


def test_a_sweep_keeps_what_was_not_cancelled():
    alarms, rung = Alarms(), []
    kept = [Call(lambda number=number: rung.append(number)) for number in range(100)]
    for number, alarm in enumerate(kept):
        alarms.add(100 - number, alarm)
    for number in range(1_000):
        alarm = Call(lambda: rung.append("cancelled"))
        alarms.add(number, alarm)
        alarms.cancel(alarm)

    while (alarm := alarms.pop_due(1_000)) is not None:
        alarm.ring()

    assert rung == list(reversed(range(100)))
    assert len(alarms) == 0
