"""Messages that find nobody."""

import pytest

from corvo.actors.kernel.api import Actor, ActorExitRequest, Message, named
from corvo.actors.kernel.dead_letters import DEAD_LETTER_NAMES_MAX, OTHER_NAMES


class Letter(Message, frozen=True):
    text: str


class Stop(Message, frozen=True):
    """Do not show me dead letters any more."""


class Nobody(Actor):
    pass


class Undertaker(Actor):
    def __init__(self, found):
        self.found = found

    def started(self):
        self.handleDeadLetters()

    def receiveMsg_DeadEnvelope(self, msg, sender):
        self.found.append((msg.deadAddress.name, msg.deadMessage, sender.name))

    def receiveMsg_Stop(self, msg, sender):
        self.handleDeadLetters(False)


@pytest.fixture
def found():
    return []


@pytest.fixture
def undertaker(system, found):
    return system.createActor(Undertaker, found)


@pytest.fixture
def dead(runtime, system):
    nobody = system.createActor(Nobody)
    system.tell(nobody, ActorExitRequest())
    runtime.settle()
    return nobody


def test_a_message_to_a_stopped_actor_is_counted_under_its_name(system, dead):
    system.tell(dead, Letter("hello"))
    system.tell(dead, Letter("hello?"))

    assert system.stats().dead_letters == 2
    assert system.stats().dead_letters_by_name == {"nobody": 2}


def test_a_handler_of_dead_letters_sees_them(runtime, system, undertaker, dead, found):
    system.tell(dead, Letter("hello"))
    runtime.settle()

    assert found == [("nobody", Letter("hello"), "outside")]


def test_a_handler_that_has_enough_sees_no_more(runtime, system, undertaker, dead, found):
    system.tell(undertaker, Stop())
    runtime.settle()

    system.tell(dead, Letter("hello"))
    runtime.settle()

    assert found == []


def test_a_handler_that_has_stopped_is_no_handler(runtime, system, undertaker, dead, found):
    system.tell(undertaker, ActorExitRequest())
    runtime.settle()

    system.tell(dead, Letter("hello"))
    runtime.settle()

    assert found == []
    assert system.stats().dead_letters == 1


def test_a_flood_of_dead_letters_does_not_flood_their_handler(runtime, system, dead, found):
    system.createActor(named(Undertaker, "undertaker", mailbox=10), found)

    for number in range(1_000):
        system.tell(dead, Letter(str(number)))
    runtime.settle()

    assert len(found) == 10
    assert system.stats().dead_letters == 1_000


def test_names_are_counted_up_to_a_limit_and_then_together(runtime, system):
    for number in range(DEAD_LETTER_NAMES_MAX + 5):
        nobody = system.createActor(named(Nobody, f"nobody {number}"))
        system.tell(nobody, ActorExitRequest())
        runtime.settle()
        system.tell(nobody, Letter("hello"))

    by_name = system.stats().dead_letters_by_name
    assert len(by_name) == DEAD_LETTER_NAMES_MAX + 1
    assert by_name[OTHER_NAMES] == 5
