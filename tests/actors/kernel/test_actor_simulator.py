"""The simulator: every seed another order, the same seed always the same."""

from datetime import timedelta

import pytest

from corvo.actors.kernel.api import Actor, Message, OnCrash, named
from corvo.actors.kernel.sim import FailStopped, SimStep, SimSystem, Stuck
from corvo.core.clock import ManualClock

SEEDS = range(20)


class Begin(Message, frozen=True):
    pass


class Number(Message, frozen=True):
    number: int


class Tick(Message, frozen=True):
    pass


class Source(Actor):
    """Sends numbers to the sink, one per message to itself, so that others can come in between."""

    def __init__(self, sink, count):
        self.sink = sink
        self.count = count

    def receiveMsg_Begin(self, msg, sender):
        self.send(self.myAddress, Number(0))

    def receiveMsg_Number(self, msg, sender):
        self.send(self.sink, msg)
        if msg.number + 1 < self.count:
            self.send(self.myAddress, Number(msg.number + 1))


class Sink(Actor):
    def __init__(self, got):
        self.got = got

    def receiveMsg_Number(self, msg, sender):
        self.got.append((sender.name, msg.number))


class Sleepers(Actor):
    """Asks for several wake-ups at the same time."""

    def __init__(self, heard):
        self.heard = heard

    def receiveMsg_Begin(self, msg, sender):
        for number in range(10):
            self.wakeupAfter(timedelta(seconds=1), number)

    def receiveMsg_WakeupMessage(self, msg, sender):
        self.heard.append(msg.payload)


class Clockwork(Actor):
    """Never comes to rest: wakes up every second and answers after the third time."""

    def __init__(self):
        self.ticks = 0
        self.asker = None

    def started(self):
        self.wakeupAfter(timedelta(seconds=1))

    def receiveMsg_Tick(self, msg, sender):
        self.asker = sender

    def receiveMsg_WakeupMessage(self, msg, sender):
        self.ticks += 1
        self.wakeupAfter(timedelta(seconds=1))
        if self.ticks == 3:
            self.send(self.asker, self.ticks)


class Echo(Actor):
    """Talks to itself without end."""

    def receiveMsg_Begin(self, msg, sender):
        self.send(self.myAddress, msg)


class Vital(Actor):
    on_crash = OnCrash.FAIL_STOP


def race(seed):
    """Three sources and one sink."""
    got = []
    system = SimSystem(seed)
    sink = system.createActor(Sink, got)
    for number in range(3):
        system.tell(system.createActor(named(Source, f"source{number}"), sink, 10), Begin())
    system.run_until_idle()
    return got, list(system.trace)


def test_the_same_seed_gives_the_same_trace():
    for seed in SEEDS:
        assert race(seed) == race(seed)


def test_different_seeds_give_different_orders():
    assert len({str(race(seed)) for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_messages_from_one_sender_to_one_receiver_keep_their_order(seed):
    got, _ = race(seed)

    for name in ("source0", "source1", "source2"):
        assert [number for sender, number in got if sender == name] == list(range(10))


def test_the_trace_says_who_got_what_from_whom_and_when():
    system = SimSystem(seed=0)
    system.advance(timedelta(seconds=2))

    system.tell(system.createActor(Sink, []), Number(1))
    system.run_until_idle()

    assert list(system.trace) == [SimStep(2_000_000_000, "sink", "Number", "outside")]


def test_wakeups_of_the_same_instant_come_in_an_order_drawn_from_the_seed():
    def order(seed):
        heard = []
        system = SimSystem(seed)
        system.tell(system.createActor(Sleepers, heard), Begin())
        system.advance(timedelta(seconds=1))
        assert sorted(heard) == list(range(10))
        return tuple(heard)

    assert order(1) == order(1)
    assert len({order(seed) for seed in SEEDS}) > 10


def test_the_clock_given_to_actors_moves_with_the_simulation_and_may_jump():
    clock = ManualClock(start_ns=1_000)
    system = SimSystem(0, clock=clock)

    system.advance(timedelta(microseconds=5))
    assert clock.now_ns() == 6_000

    clock.jump_to(0)
    system.advance(timedelta(microseconds=1))
    assert clock.now_ns() == 1_000
    assert system.now_ns() == 6_000


def test_nothing_moves_by_itself():
    got = []
    system = SimSystem(0)
    system.tell(system.createActor(Sink, got), Number(1))

    assert got == []
    system.run_until_idle()
    assert got == [("outside", 1)]


def test_running_until_idle_does_not_wait_for_wakeups():
    system = SimSystem(0)
    system.createActor(Clockwork)

    system.run_until_idle()

    assert system.now_ns() == 0


def test_reading_an_answer_lets_as_much_time_pass_as_it_takes():
    system = SimSystem(0)

    assert system.ask(system.createActor(Clockwork), Tick()).result() == 3
    assert system.now_ns() == 3_000_000_000


def test_an_answer_that_never_comes_is_noticed():
    system = SimSystem(0)

    with pytest.raises(Stuck, match="nothing is left to do"):
        system.ask(system.createActor(Sink, []), Number(1)).result()


def test_a_run_without_end_is_noticed():
    system = SimSystem(0)
    system.tell(system.createActor(Echo), Begin())

    with pytest.raises(Stuck, match="after 1000 steps"):
        system.run(until=lambda: False, limit=1_000)
    with pytest.raises(Stuck, match="still not idle"):
        system.run_until_idle(limit=1_000)
    with pytest.raises(Stuck, match="still busy"):
        system.advance(timedelta(seconds=1), limit=1_000)


def test_run_stops_as_soon_as_the_condition_holds():
    got = []
    system = SimSystem(0)
    system.tell(system.createActor(Source, system.createActor(Sink, got), 10), Begin())

    system.run(until=lambda: len(got) == 4)

    assert len(got) == 4


def test_a_crash_can_be_injected():
    got = []
    system = SimSystem(0)
    sink = system.createActor(Sink, got)
    system.tell(sink, Number(1))

    system.crash(sink)
    system.crash(sink)  # It rests already, so there is nothing more to crash.
    system.run_until_idle()
    assert got == []

    system.advance(timedelta(milliseconds=10))
    assert got == [("outside", 1)]
    assert (system.stats().crashes, system.stats().restarts) == (1, 1)


def test_the_crash_of_a_vital_actor_ends_the_run():
    system = SimSystem(0)
    vital = system.createActor(Vital)

    with pytest.raises(FailStopped, match="vital crashed: InjectedCrash"):
        system.crash(vital)
