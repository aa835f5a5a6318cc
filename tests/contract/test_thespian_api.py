"""One set of actors, three systems: our loop, our simulator, and Thespian's own simpleSystemBase.

The kernel claims to speak Thespian's API. Here the same classes and the same test bodies run on
all three, and the outcomes are the same.
"""

import asyncio
from datetime import timedelta

import pytest
from thespian.actors import ActorSystem as ThespianSystem

from corvo.actors.kernel.api import Actor, ActorExitRequest, Message
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.kernel.sim import SimSystem

ANSWER_S_MAX = 5


class Greet(Message, frozen=True):
    """anyone -> parent, child: answer with a greeting."""

    name: str


class Remember(Message, frozen=True):
    """anyone -> parent: keep this word."""

    word: str


class Recall(Message, frozen=True):
    """anyone -> parent: answer with all words."""


class AskChild(Message, frozen=True):
    """anyone -> parent: let your child greet this name, and answer with what it says."""

    name: str


class Poison(Message, frozen=True):
    """parent -> child: crash."""


class PoisonChild(Message, frozen=True):
    """anyone -> parent: poison your child, and answer with what comes back."""


class Sleep(Message, frozen=True):
    """anyone -> parent: ask for a wake-up, and answer with its payload."""

    payload: str


class DismissChild(Message, frozen=True):
    """anyone -> parent: let your child exit, and answer when it has."""


class WriteToTheDead(Message, frozen=True):
    """anyone -> parent: send this to a child that has exited."""

    text: str


class Lost(Message, frozen=True):
    """child -> nobody: a message no one will get."""

    text: str


class Found(Message, frozen=True):
    """anyone -> undertaker: answer with the dead letters so far."""


class Unknown(Message, frozen=True):
    """A message nobody has a handler for."""


class Child(Actor):
    def receiveMsg_Greet(self, msg, sender):
        self.send(sender, f"child greets {msg.name}")

    def receiveMsg_Poison(self, msg, sender):
        raise ValueError("poisoned")


class Parent(Actor):
    def __init__(self):
        self.words = []
        self.child = None
        self.asker = None

    def receiveMsg_Greet(self, msg, sender):
        self.send(sender, f"hello {msg.name}")

    def receiveMsg_Remember(self, msg, sender):
        self.words.append(msg.word)

    def receiveMsg_Recall(self, msg, sender):
        self.send(sender, list(self.words))

    # A child

    def receiveMsg_AskChild(self, msg, sender):
        self.asker = sender
        self.send(self._child(), Greet(msg.name))

    def receiveMsg_str(self, msg, sender):
        assert sender == self.child
        self.send(self.asker, msg)

    def receiveMsg_DismissChild(self, msg, sender):
        self.asker = sender
        self.send(self._child(), ActorExitRequest())

    def receiveMsg_ChildActorExited(self, msg, sender):
        self.send(self.asker, ("exited", msg.childAddress == self.child))

    def receiveMsg_WriteToTheDead(self, msg, sender):
        self.send(self.child, Lost(msg.text))

    # A crash

    def receiveMsg_PoisonChild(self, msg, sender):
        self.asker = sender
        self.send(self._child(), Poison())

    def receiveMsg_PoisonMessage(self, msg, sender):
        self.send(self.asker, (msg.poisonMessage, "ValueError: poisoned" in msg.details))

    # Time

    def receiveMsg_Sleep(self, msg, sender):
        self.asker = sender
        self.wakeupAfter(timedelta(milliseconds=10), payload=msg.payload)

    def receiveMsg_WakeupMessage(self, msg, sender):
        self.send(self.asker, (msg.payload, msg.delayPeriod, sender == self.myAddress))

    def _child(self):
        if self.child is None:
            self.child = self.createActor(Child)
        return self.child


class Undertaker(Actor):
    def __init__(self):
        self.found = []

    def receiveMsg_Greet(self, msg, sender):
        self.handleDeadLetters()
        self.send(sender, "at your service")

    def receiveMsg_DeadEnvelope(self, msg, sender):
        self.found.append(msg.deadMessage)

    def receiveMsg_Found(self, msg, sender):
        self.send(sender, list(self.found))


class OnLoop:
    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._system = self._loop.run_until_complete(self._make())

    async def _make(self):
        return ActorSystem()

    def create(self, actor_class):
        return self._system.createActor(actor_class)

    def tell(self, target, message):
        self._system.tell(target, message)

    def ask(self, target, message):
        answer = self._system.ask(target, message)
        return self._loop.run_until_complete(asyncio.wait_for(answer, ANSWER_S_MAX))

    def close(self):
        assert self._loop.run_until_complete(self._system.stop(timeout=ANSWER_S_MAX)) == ()
        self._loop.close()


class OnSimulator:
    def __init__(self):
        self._system = SimSystem(seed=0)

    def create(self, actor_class):
        return self._system.createActor(actor_class)

    def tell(self, target, message):
        self._system.tell(target, message)
        # Thespian handles all that was told before `tell` returns.
        self._system.run_until_idle()

    def ask(self, target, message):
        return self._system.ask(target, message).result()

    def close(self):
        self._system.stop()


class OnThespian:
    def __init__(self):
        # Without its log settings, which would replace those of the whole process.
        self._system = ThespianSystem("simpleSystemBase", logDefs=False, transientUnique=True)

    def create(self, actor_class):
        return self._system.createActor(actor_class)

    def tell(self, target, message):
        self._system.tell(target, message)

    def ask(self, target, message):
        return self._system.ask(target, message, ANSWER_S_MAX)

    def close(self):
        self._system.shutdown()


@pytest.fixture(params=[OnLoop, OnSimulator, OnThespian], ids=lambda runtime: runtime.__name__)
def system(request):
    system = request.param()
    yield system
    system.close()


@pytest.fixture
def parent(system):
    return system.create(Parent)


def test_a_question_is_answered(system, parent):
    assert system.ask(parent, Greet("Ada")) == "hello Ada"


def test_messages_are_handled_in_the_order_they_were_told(system, parent):
    for word in ("one", "two", "three"):
        system.tell(parent, Remember(word))

    assert system.ask(parent, Recall()) == ["one", "two", "three"]


def test_an_actor_creates_a_child_and_talks_to_it(system, parent):
    assert system.ask(parent, AskChild("Ada")) == "child greets Ada"


def test_a_wakeup_comes_from_the_actor_itself_with_its_payload(system, parent):
    payload, period, from_itself = system.ask(parent, Sleep("tea"))

    assert payload == "tea"
    assert period >= timedelta(milliseconds=10)
    assert from_itself


def test_a_child_exits_when_asked_and_its_parent_is_told(system, parent):
    system.ask(parent, AskChild("Ada"))

    assert system.ask(parent, DismissChild()) == ("exited", True)


def test_the_sender_of_a_fatal_message_gets_it_back_with_the_details(system, parent):
    assert system.ask(parent, PoisonChild()) == (Poison(), True)


def test_an_actor_that_crashed_goes_on_with_its_next_message(system, parent):
    system.ask(parent, PoisonChild())

    assert system.ask(parent, AskChild("Ada")) == "child greets Ada"


def test_a_message_to_an_actor_that_has_exited_reaches_the_dead_letter_handler(system, parent):
    undertaker = system.create(Undertaker)
    system.ask(undertaker, Greet("Ada"))
    system.ask(parent, DismissChild())

    system.tell(parent, WriteToTheDead("anyone there?"))
    system.ask(parent, Recall())

    assert system.ask(undertaker, Found()) == [Lost("anyone there?")]


def test_an_unexpected_message_does_no_harm(system, parent):
    system.tell(parent, Unknown())

    assert system.ask(parent, Greet("Ada")) == "hello Ada"
