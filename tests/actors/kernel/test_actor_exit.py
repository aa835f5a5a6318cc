"""Exits: in which order actors end, and what they still get to say."""

import asyncio

import pytest

from corvo.actors.kernel.api import Actor, ActorExitRequest, Message, ThreadActor, named
from corvo.actors.kernel.loop import ActorSystem


class Note(Message, frozen=True):
    text: str


class Create(Message, frozen=True):
    """Create a child of this name."""

    name: str


class Actress(Actor):
    """Writes the story of its life, and its children's, into one diary."""

    def __init__(self, diary):
        self.diary = diary

    def started(self):
        self.write("started")

    def stopping(self):
        self.write("stopping")

    def receiveMsg_Note(self, msg, sender):
        self.write(msg.text)

    def receiveMsg_Create(self, msg, sender):
        self.send(sender, self.createActor(named(Actress, msg.name), self.diary))

    def receiveMsg_ActorExitRequest(self, msg, sender):
        self.write("asked to exit")

    def receiveMsg_ChildActorExited(self, msg, sender):
        self.write(f"lost {msg.childAddress.name}")

    def write(self, text):
        self.diary.append(f"{self.myAddress.name} {text}")


class Flusher(Actor):
    """Tells the store what it still holds when it ends."""

    def __init__(self, store):
        self.store = store

    def stopping(self):
        self.send(self.store, Note("flushed"))


class BadLoser(Actress):
    def receiveMsg_ActorExitRequest(self, msg, sender):
        raise ValueError("I will not go")


class Hermit(ThreadActor):
    """Does not answer the door until it is let go."""

    def __init__(self, busy, release):
        self.busy = busy
        self.release = release

    def receiveMsg_Note(self, msg, sender):
        self.busy.set()
        self.release.wait()


@pytest.fixture
def diary():
    return []


def test_an_exit_ends_the_children_first_and_deepest_first(runtime, system, diary):
    mother = system.createActor(named(Actress, "mother"), diary)
    daughter = runtime.ask(mother, Create("daughter"))
    runtime.ask(daughter, Create("granddaughter"))
    runtime.ask(mother, Create("son"))
    diary.clear()

    system.tell(mother, ActorExitRequest())
    runtime.settle()

    assert diary == [
        "mother asked to exit",
        "mother stopping",
        "son asked to exit",
        "son stopping",
        "daughter asked to exit",
        "daughter stopping",
        "granddaughter asked to exit",
        "granddaughter stopping",
    ]
    assert system.stats().actors == {}


def test_a_parent_that_lives_on_learns_of_the_exit_of_its_child(runtime, system, diary):
    mother = system.createActor(named(Actress, "mother"), diary)
    daughter = runtime.ask(mother, Create("daughter"))

    system.tell(daughter, ActorExitRequest())
    runtime.settle()

    assert diary[-2:] == ["daughter stopping", "mother lost daughter"]


def test_messages_before_the_exit_request_are_handled_and_those_after_it_are_dead_letters(
    runtime, system, diary
):
    mother = system.createActor(named(Actress, "mother"), diary)

    system.tell(mother, Note("before"))
    system.tell(mother, ActorExitRequest())
    system.tell(mother, Note("after"))
    runtime.settle()

    assert "mother before" in diary
    assert "mother after" not in diary
    assert system.stats().dead_letters_by_name == {"mother": 1}


def test_an_actor_can_end_itself(runtime, system, diary):
    class Lemming(Actor):
        def started(self):
            self.send(self.myAddress, ActorExitRequest())

    system.createActor(Lemming)
    runtime.settle()

    assert system.stats().actors == {}


def test_an_actor_that_fails_to_say_goodbye_ends_all_the_same(runtime, system, diary):
    loser = system.createActor(named(BadLoser, "loser"), diary)

    system.tell(loser, ActorExitRequest())
    runtime.settle()

    assert diary == ["loser started", "loser stopping"]
    assert system.stats().crashes == 1
    assert system.stats().actors == {}


def test_stopping_the_system_ends_the_youngest_first_and_drains_each_mailbox(runtime, system, diary):
    for name in ("store", "fsm", "edge"):
        actor = system.createActor(named(Actress, name), diary)
        system.tell(actor, Note("worked"))
    runtime.ask(actor, Create("session"))
    diary.clear()

    runtime.stop()

    endings = [line for line in diary if "stopping" in line]
    assert endings == ["edge stopping", "session stopping", "fsm stopping", "store stopping"]
    assert system.stats().actors == {}


def test_what_an_actor_says_last_reaches_an_older_one(runtime, system, diary):
    store = system.createActor(named(Actress, "store"), diary)
    system.createActor(Flusher, store)

    runtime.stop()

    assert diary == ["store started", "store flushed", "store asked to exit", "store stopping"]


def test_stopping_does_not_bring_children_back(runtime, system, diary):
    class Keeper(Actress):
        def receiveMsg_ChildActorExited(self, msg, sender):
            self.createActor(Actress, self.diary)

    keeper = system.createActor(Keeper, diary)
    runtime.ask(keeper, Create("child"))

    runtime.stop()

    assert system.stats().actors == {}
    with pytest.raises(AssertionError, match="the system is stopping"):
        system.createActor(Actress, diary)


async def test_stopping_reports_who_did_not_stop_and_still_ends_the_others(diary):
    import threading

    busy, release = threading.Event(), threading.Event()
    system = ActorSystem()
    system.createActor(named(Actress, "store"), diary)
    hermit = system.createActor(Hermit, busy, release)
    system.createActor(named(Actress, "edge"), diary)
    system.tell(hermit, Note("knock"))
    await asyncio.to_thread(busy.wait)

    left = await system.stop(timeout=0.05)

    assert left == ("hermit",)
    assert "edge stopping" in diary
    assert "store stopping" in diary
    release.set()
    assert await system.stop(timeout=5) == ()
