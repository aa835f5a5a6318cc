"""Crashes: who learns of them, and what comes next."""

import asyncio
import os
from datetime import timedelta

import pytest

from corvo.actors.kernel.api import (
    Actor,
    ActorExitRequest,
    ActorStopped,
    Message,
    OnCrash,
    named,
)
from corvo.actors.kernel.backoff import RestartBackoff
from corvo.actors.kernel.supervise import exit_process

SECOND_NS = 1_000_000_000


class Count(Message, frozen=True):
    pass


class Boom(Message, frozen=True):
    number: int = 0


class Counter(Actor):
    """Counts how often it was asked since its instance was made."""

    def __init__(self, births=None):
        self.count = 0
        if births is not None:
            births.append(len(births))

    def receiveMsg_Count(self, msg, sender):
        self.count += 1
        self.send(sender, self.count)

    def receiveMsg_Boom(self, msg, sender):
        raise ValueError(f"boom {msg.number}")


class Mortal(Counter):
    on_crash = OnCrash.STOP


class Vital(Counter):
    on_crash = OnCrash.FAIL_STOP


class Parent(Actor):
    """Creates a child and writes down what it hears of it."""

    def __init__(self, child_class, heard, *child_arguments):
        self.child_class = child_class
        self.child_arguments = child_arguments
        self.heard = heard

    def started(self):
        self.child = self.createActor(named(self.child_class, "child"), *self.child_arguments)

    def receiveMsg_Boom(self, msg, sender):
        self.send(self.child, msg)

    def receiveMsg_str(self, msg, sender):
        raise ValueError(msg)

    def receiveMsg_PoisonMessage(self, msg, sender):
        assert sender is self.child
        self.heard.append(("poison", msg.poisonMessage))

    def receiveMsg_ChildActorExited(self, msg, sender):
        assert msg.childAddress is self.child
        self.heard.append(("exited", msg.childAddress.name))


class Unborn(Actor):
    """Cannot be made until its troubles are over."""

    def __init__(self, troubles):
        if troubles:
            raise OSError(troubles.pop())

    def receiveMsg_Count(self, msg, sender):
        self.send(sender, "alive")


class MortallyUnborn(Unborn):
    on_crash = OnCrash.STOP


class FailsToStart(Unborn):
    def __init__(self, troubles):
        self.troubles = troubles

    def started(self):
        super().__init__(self.troubles)


def test_the_sender_of_the_fatal_message_gets_it_back_as_poison(runtime, system):
    heard = []
    parent = system.createActor(Parent, Counter, heard)

    system.tell(parent, Boom(7))
    runtime.settle()

    assert heard == [("poison", Boom(7))]


def test_a_crash_is_counted_and_logged_with_its_error(runtime, system, logs):
    system.tell(system.createActor(Counter), Boom(7))
    runtime.settle()

    [entry] = [log for log in logs if log["event"] == "actor.crashed"]
    assert entry["actor"] == "counter"
    assert entry["message_type"] == "Boom"
    assert isinstance(entry["exc_info"], ValueError)
    assert system.stats().crashes == 1


def test_a_crashed_actor_is_made_again_from_its_arguments(runtime, system):
    births = []
    counter = system.createActor(Counter, births)
    assert [runtime.ask(counter, Count()) for _ in range(3)] == [1, 2, 3]

    system.tell(counter, Boom())
    runtime.advance(milliseconds=10)

    assert births == [0, 1]
    assert runtime.ask(counter, Count()) == 1
    assert system.stats().restarts == 1


def test_the_mailbox_outlives_the_crash(runtime, system):
    counter = system.createActor(Counter)

    system.tell(counter, Boom())
    answers = [system.ask(counter, Count()) for _ in range(3)]

    assert [runtime.result(answer) for answer in answers] == [1, 2, 3]


def test_a_resting_actor_takes_messages_until_its_mailbox_is_full(runtime, system):
    counter = system.createActor(named(Counter, "counter", mailbox=2))
    system.tell(counter, Boom())
    runtime.settle()

    answers = [system.ask(counter, Count()) for _ in range(2)]
    assert system.stats().actors["counter"].state == "suspended"
    with pytest.raises(Exception, match="the mailbox of counter is full"):
        system.tell(counter, Count())

    assert [runtime.result(answer) for answer in answers] == [1, 2]


def test_an_actor_rests_longer_after_each_crash(runtime, system):
    births = []
    counter = system.createActor(Counter, births)

    for crash, rest_ms in enumerate([10, 20, 40, 80], start=1):
        system.tell(counter, Boom())
        runtime.advance(milliseconds=rest_ms - 1)
        assert len(births) == crash
        runtime.advance(milliseconds=2)
        assert len(births) == crash + 1


def test_the_rest_doubles_up_to_five_seconds_and_a_healthy_minute_resets_it():
    backoff = RestartBackoff()

    rests = [backoff.crashed(now_ns=0) for _ in range(12)]

    assert rests[:3] == [10_000_000, 20_000_000, 40_000_000]
    assert rests[-2:] == [5 * SECOND_NS, 5 * SECOND_NS]
    backoff.started(now_ns=100 * SECOND_NS)
    assert backoff.crashed(now_ns=159 * SECOND_NS) == 5 * SECOND_NS
    backoff.started(now_ns=200 * SECOND_NS)
    assert backoff.crashed(now_ns=260 * SECOND_NS) == 10_000_000


@pytest.mark.parametrize("unborn_class", [Unborn, FailsToStart])
def test_a_constructor_or_start_that_raises_is_a_crash(runtime, system, unborn_class):
    unborn = system.createActor(unborn_class, ["no disk", "no network"])

    assert runtime.ask(unborn, Count()) == "alive"
    assert (system.stats().crashes, system.stats().restarts) == (2, 2)


def test_a_child_that_cannot_be_made_and_may_not_restart_has_exited(runtime, system):
    heard = []
    system.createActor(Parent, MortallyUnborn, heard, ["no disk"])

    runtime.settle()

    assert heard == [("exited", "child")]


def test_an_actor_that_stops_on_a_crash_is_reported_to_its_parent(runtime, system):
    heard = []
    parent = system.createActor(Parent, Mortal, heard)

    system.tell(parent, Boom(1))
    runtime.settle()

    assert heard == [("poison", Boom(1)), ("exited", "child")]
    assert list(system.stats().actors) == ["parent"]
    assert system.stats().restarts == 0


def test_what_waits_for_an_actor_that_stops_on_a_crash_fails(runtime, system):
    mortal = system.createActor(Mortal)

    system.tell(mortal, Boom())
    answer = system.ask(mortal, Count())

    with pytest.raises(ActorStopped):
        runtime.result(answer)


def test_the_crash_of_a_vital_actor_stops_the_process(runtime, system):
    vital = system.createActor(Vital)

    system.tell(vital, Boom(3))
    runtime.settle()

    assert runtime.fail_stops == ["vital crashed: ValueError('boom 3')"]
    assert system.stats().actors == {}


def test_by_default_a_process_that_must_stop_exits_at_once_with_its_own_code(monkeypatch, logs):
    codes = []
    monkeypatch.setattr(os, "_exit", codes.append)

    exit_process("fsm crashed")

    assert codes == [70]
    assert logs == [{"event": "process.fail_stopped", "log_level": "critical", "reason": "fsm crashed"}]


def test_the_children_of_a_crashed_actor_end_and_are_made_again_with_it(runtime, system):
    heard, births = [], []
    parent = system.createActor(Parent, Counter, heard, births)

    system.tell(parent, "crash")
    runtime.settle()
    assert list(system.stats().actors) == ["parent"]
    runtime.advance(milliseconds=11)

    assert sorted(system.stats().actors) == ["child", "parent"]
    assert births == [0, 1]
    assert heard == []


def test_a_resting_actor_can_be_ended(runtime, system):
    births = []
    counter = system.createActor(Counter, births)
    system.tell(counter, Boom())
    runtime.settle()

    system.tell(counter, ActorExitRequest())
    runtime.advance(seconds=10)

    assert births == [0]
    assert system.stats().actors == {}


def test_an_actor_that_crashes_on_its_way_out_is_not_made_again(runtime, system):
    births = []
    counter = system.createActor(Counter, births)

    system.tell(counter, Boom())
    system.tell(counter, ActorExitRequest())
    runtime.advance(seconds=10)

    assert births == [0]
    assert system.stats().actors == {}


def test_an_actor_that_crashes_for_ever_can_be_stopped(runtime, system):
    system.createActor(Unborn, ["trouble"] * 1_000)
    runtime.advance(seconds=30)
    assert system.stats().restarts > 5

    runtime.stop()

    assert system.stats().actors == {}


def test_a_cancelled_future_read_by_a_handler_is_a_crash_and_not_the_end_of_the_turn(runtime, system):
    class Reader(Counter):
        def receiveMsg_Boom(self, msg, sender):
            raise asyncio.CancelledError

    reader = system.createActor(Reader)

    system.tell(reader, Boom())

    assert runtime.ask(reader, Count()) == 1
    assert system.stats().crashes == 1


def test_a_wakeup_that_crashes_its_actor_poisons_nobody(runtime, system):
    class Nightmare(Counter):
        def started(self):
            self.wakeupAfter(timedelta(seconds=1))

        def receiveMsg_WakeupMessage(self, msg, sender):
            raise ValueError("bad dream")

    system.createActor(Nightmare)
    runtime.advance(milliseconds=1_005)

    assert system.stats().crashes == 1
    assert system.stats().unexpected == 0


def test_what_the_system_says_to_a_resting_actor_waits_for_its_return(runtime, system):
    class Culprit(Actor):
        def receiveMsg_Boom(self, msg, sender):
            self.send(victim, msg)
            raise ValueError("I did it")

        def receiveMsg_PoisonMessage(self, msg, sender):
            heard.append((sender, msg.poisonMessage))

    heard = []
    victim = system.createActor(Counter)
    culprit = system.createActor(Culprit)

    system.tell(culprit, Boom(1))
    runtime.settle()
    assert heard == []
    runtime.advance(milliseconds=11)

    assert heard == [(victim, Boom(1))]


def test_an_instance_that_outlives_its_crash_cannot_leave_children_behind(runtime, system):
    class Undead(Counter):
        def started(self):
            instances.append(self)

    instances = []
    undead = system.createActor(Undead)
    system.tell(undead, Boom())
    runtime.settle()

    child = instances[0].createActor(Counter)

    assert list(system.stats().actors) == ["undead"]
    with pytest.raises(ActorStopped):
        runtime.ask(child, Count())


class Clerk(Actor):
    """Answers nobody before it has to."""

    def __init__(self, *, clumsy=False):
        self.waiting = []
        self.clumsy = clumsy

    def receiveMsg_Count(self, msg, sender):
        self.waiting.append(sender)

    def receiveMsg_Boom(self, msg, sender):
        raise ValueError("boom")

    def crashed(self):
        if self.clumsy:
            raise OSError("the state is a mess")
        for asker in self.waiting:
            self.send(asker, "you will hear nothing")


def test_an_instance_that_is_thrown_away_can_tell_those_who_wait(runtime, system):
    clerk = system.createActor(Clerk)
    answers = [system.ask(clerk, Count()) for _ in range(3)]
    system.tell(clerk, Boom())
    assert [runtime.result(answer) for answer in answers] == ["you will hear nothing"] * 3


def test_last_words_that_fail_are_noted_and_change_nothing(runtime, system, logs):
    clerk = system.createActor(Clerk, clumsy=True)
    system.tell(clerk, Boom())
    runtime.advance(milliseconds=10)
    errors = [type(log["exc_info"]) for log in logs if log["event"] == "actor.crashed"]
    assert sorted(errors, key=str) == [OSError, ValueError]
    assert system.stats().restarts == 1


def test_an_actor_can_be_ordered_to_crash_and_keeps_its_mailbox(runtime, system):
    clerk = system.createActor(named(Clerk, "clerk"))
    before = system.ask(clerk, Count())
    assert system.order_crash("clerk")
    after = system.ask(clerk, Count())
    assert runtime.result(before) == "you will hear nothing"
    assert system.order_crash("clerk")
    assert runtime.result(after) == "you will hear nothing"
    runtime.advance(milliseconds=100)
    assert (system.stats().crashes, system.stats().restarts) == (2, 2)
    assert not system.order_crash("nobody")


def test_a_vital_actor_that_is_ordered_to_crash_stops_everything(runtime, system):
    system.createActor(named(Vital, "vital"))
    system.order_crash("vital")
    runtime.settle()
    assert runtime.fail_stops == ["vital crashed: InjectedCrash('vital')"]
