"""Actors with a thread of their own."""

import asyncio
import queue
import sys
import threading
from datetime import timedelta

import pytest

from corvo.actors.kernel.api import (
    Actor,
    ActorCrashed,
    ActorExitRequest,
    ActorStopped,
    MailboxFull,
    Message,
    OnCrash,
    ThreadActor,
    named,
)
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.kernel.sim import THREAD_DELAY_NS_MAX, SimSystem


class Write(Message, frozen=True):
    number: int


class Hold(Message, frozen=True):
    """Block your thread until the gate opens."""


class Where(Message, frozen=True):
    """On which threads does your life take place?"""


class Relay(Message, frozen=True):
    """Send this many messages on."""

    count: int


class Writer(ThreadActor):
    """Collects writes and commits them when a burst ends, as a SQLite writer does."""

    def __init__(self, commits, gate=None):
        self.threads = [threading.current_thread().name]
        self.commits = commits
        self.gate = gate
        self.open = []

    def started(self):
        self.threads.append(threading.current_thread().name)

    def receiveMsg_Write(self, msg, sender):
        if msg.number < 0:
            raise ValueError("negative")
        self.open.append(msg.number)

    def receiveMsg_Hold(self, msg, sender):
        self.gate.get()

    def receiveMsg_Where(self, msg, sender):
        self.send(sender, [*self.threads, threading.current_thread().name])

    def receiveMsg_Relay(self, msg, sender):
        for number in range(msg.count):
            self.send(sender, number)

    def batchEnded(self):
        if self.open:
            self.commits.append(("commit", *self.open))
            self.open = []

    def stopping(self):
        self.commits.append(("close",))


class Mortal(Writer):
    on_crash = OnCrash.STOP


class Collector(Actor):
    """Asks a thread actor to relay to it, and says when it has everything."""

    def __init__(self, source, count):
        self.source = source
        self.count = count
        self.got = []

    def receiveMsg_Relay(self, msg, sender):
        self.asker = sender
        self.send(self.source, msg)

    def receiveMsg_int(self, msg, sender):
        self.got.append(msg)
        if len(self.got) == self.count:
            self.send(self.asker, self.got)


async def until(condition):
    """Let the loop and its threads go on until this holds; the timeout of the test is the limit."""
    while not condition():
        await asyncio.to_thread(threading.Event().wait, 0.001)


@pytest.fixture
async def system():
    system = ActorSystem()
    yield system
    assert await system.stop(timeout=10) == ()


async def test_its_whole_life_takes_place_on_its_own_named_thread(system):
    writer = system.createActor(named(Writer, "writer"), [])

    assert await system.ask(writer, Where()) == ["actor-writer"] * 3


async def test_it_handles_messages_in_order_and_commits_once_per_burst(system):
    commits, gate = [], queue.SimpleQueue()
    writer = system.createActor(Writer, commits, gate)

    system.tell(writer, Hold())
    for number in range(100):
        system.tell(writer, Write(number))
    answer = system.ask(writer, Where())
    gate.put(None)
    await answer
    await system.stop(timeout=10)

    assert commits == [("commit", *range(100)), ("close",)]


async def test_a_burst_ends_before_the_actor_does(system):
    commits, gate = [], queue.SimpleQueue()
    writer = system.createActor(Writer, commits, gate)

    system.tell(writer, Hold())
    system.tell(writer, Write(1))
    system.tell(writer, ActorExitRequest())
    gate.put(None)
    await system.stop(timeout=10)

    assert commits == [("commit", 1), ("close",)]


async def test_the_loop_goes_on_while_it_blocks(system):
    gate = queue.SimpleQueue()
    writer = system.createActor(Writer, [], gate)
    system.tell(writer, Hold())

    # The gate is opened by a callback of the loop, so this ends only if the loop is free.
    asyncio.get_running_loop().call_soon(gate.put, None)

    assert await system.ask(writer, Where())


async def test_what_it_sends_arrives_in_order_with_few_wakeups_of_the_loop(system, monkeypatch):
    wakeups = []
    loop = asyncio.get_running_loop()
    wake = loop.call_soon_threadsafe
    monkeypatch.setattr(loop, "call_soon_threadsafe", lambda *a, **k: (wakeups.append(1), wake(*a, **k)))
    writer = system.createActor(Writer, [])
    collector = system.createActor(named(Collector, "collector", mailbox=20_000), writer, 10_000)

    assert await system.ask(collector, Relay(10_000)) == list(range(10_000))
    assert len(wakeups) < 5_000


async def test_its_mailbox_is_bounded_too(system):
    gate = queue.SimpleQueue()
    writer = system.createActor(named(Writer, "writer", mailbox=10), [], gate)
    # Once the thread holds the first message, all others have to wait.
    system.tell(writer, Hold())
    await until(lambda: system.stats().actors["writer"].waiting == 0)

    for number in range(10):
        system.tell(writer, Write(number))
    with pytest.raises(MailboxFull):
        system.tell(writer, Write(10))
    system.tell(writer, ActorExitRequest())  # It needs no room.
    gate.put(None)

    assert await system.stop(timeout=10) == ()
    assert system.stats().refused == 1


async def test_a_crash_is_supervised_like_any_other(system):
    commits = []
    writer = system.createActor(Writer, commits)

    with pytest.raises(ActorCrashed, match="negative"):
        await system.ask(writer, Write(-1))

    assert await system.ask(writer, Where()) == ["actor-writer"] * 3
    assert (system.stats().crashes, system.stats().restarts) == (1, 1)


class Clerk(ThreadActor):
    """Answers nobody before it has to, and says on which thread that was."""

    def receiveMsg_Where(self, msg, sender):
        self.asker = sender

    def crashed(self):
        self.send(self.asker, threading.current_thread().name)


async def test_it_can_be_ordered_to_crash_and_says_its_last_words_on_its_thread(system):
    clerk = system.createActor(named(Clerk, "clerk"))
    answer = system.ask(clerk, Where())
    assert system.order_crash("clerk")
    assert await answer == "actor-clerk"
    await until(lambda: system.stats().restarts == 1)


async def test_one_that_crashes_on_its_way_out_is_not_made_again(system):
    gate = queue.SimpleQueue()
    writer = system.createActor(Writer, [], gate)

    system.tell(writer, Hold())
    system.tell(writer, Write(-1))
    answer = system.ask(writer, Where())
    system.tell(writer, ActorExitRequest())
    gate.put(None)

    with pytest.raises(ActorStopped):
        await answer
    assert system.stats().restarts == 0


async def test_an_error_at_the_end_of_a_burst_is_a_crash(system):
    class Clumsy(Writer):
        def batchEnded(self):
            if self.open:
                raise OSError("disk full")

    writer = system.createActor(Clumsy, [])
    system.tell(writer, Write(1))

    await until(lambda: system.stats().restarts == 1)
    assert await system.ask(writer, Where())


async def test_an_attempt_to_exit_the_process_from_a_thread_is_a_crash(system):
    class Quitter(Writer):
        def receiveMsg_Write(self, msg, sender):
            sys.exit()

    writer = system.createActor(Quitter, [])
    system.tell(writer, Write(1))

    await until(lambda: system.stats().restarts == 1)
    assert await system.ask(writer, Where())


async def test_an_actor_that_stops_on_a_crash_takes_its_thread_along(system):
    writer = system.createActor(named(Mortal, "mortal"), [])

    with pytest.raises(ActorCrashed):
        await system.ask(writer, Write(-1))

    await until(lambda: "mortal" not in system.stats().actors)
    assert "actor-mortal" not in [thread.name for thread in threading.enumerate()]


async def test_it_can_create_children_set_timers_and_hear_of_exits(system):
    class Nursery(ThreadActor):
        def receiveMsg_str(self, msg, sender):
            self.asker = sender
            self.child = self.createActor(Writer, [])
            self.cancelled = self.wakeupAfter(timedelta(microseconds=1), "cancelled")
            self.cancelled.cancel()
            self.wakeupAfter(timedelta(milliseconds=1), "kept")

        def receiveMsg_WakeupMessage(self, msg, sender):
            self.payload = msg.payload
            self.send(self.child, ActorExitRequest())

        def receiveMsg_ChildActorExited(self, msg, sender):
            self.send(self.asker, (self.payload, msg.childAddress is self.child))

    assert await system.ask(system.createActor(Nursery), "go") == ("kept", True)
    assert system.stats().alarms == 0


async def test_stopping_joins_all_threads():
    system = ActorSystem()
    for _ in range(5):
        system.createActor(named(Writer, "joined"), [])

    assert await system.stop(timeout=10) == ()

    assert not [thread for thread in threading.enumerate() if thread.name.startswith("actor-joined")]


def test_a_thread_that_outlives_the_loop_does_no_harm():
    gate = queue.SimpleQueue()

    async def leave():
        system = ActorSystem()
        system.tell(system.createActor(named(Writer, "late"), [], gate), Hold())
        await system.stop(timeout=0.01)

    asyncio.run(leave())
    [thread] = [thread for thread in threading.enumerate() if thread.name == "actor-late"]
    gate.put(None)

    # It cannot be ended, since nobody is left to do so, but it waits without a word of complaint.
    thread.join(0.01)
    assert thread.daemon


# In the simulator


def simulated_commits(seed):
    commits = []
    system = SimSystem(seed)
    writer = system.createActor(Writer, commits)
    for number in range(20):
        system.tell(writer, Write(number))
        system.advance(timedelta(milliseconds=1))
    system.stop()
    assert commits.pop() == ("close",)
    return [numbers for _, *numbers in commits]


def test_in_the_simulator_bursts_depend_on_the_seed_but_nothing_is_lost():
    runs = [simulated_commits(seed) for seed in range(5)]

    for run in runs:
        assert [number for burst in run for number in burst] == list(range(20))
    assert len({str(run) for run in runs}) > 1
    assert simulated_commits(seed=0) == runs[0]


def test_in_the_simulator_a_thread_actor_takes_time():
    system = SimSystem(seed=0)
    answer = system.ask(system.createActor(Writer, []), Where())

    system.run_until_idle()

    assert answer.done()
    assert 0 < system.now_ns() <= THREAD_DELAY_NS_MAX


def test_in_the_simulator_a_crashed_burst_is_lost_and_the_rest_goes_on():
    commits = []
    system = SimSystem(seed=0)
    writer = system.createActor(Writer, commits)

    for number in (1, 2, -1, 3):
        system.tell(writer, Write(number))
    system.advance(timedelta(seconds=1))

    assert commits == [("commit", 3)]
