"""Asking, telling and creating from outside."""

import asyncio

import pytest

from corvo.actors.kernel.api import Actor, ActorCrashed, ActorExitRequest, ActorStopped, Message, named
from corvo.actors.kernel.loop import ActorSystem


class Add(Message, frozen=True):
    number: int


class Total(Message, frozen=True):
    pass


class Answer(Message, frozen=True):
    """Ask for these answers, in this order."""

    messages: tuple


class Adder(Actor):
    def __init__(self, start=0, *, step=1):
        self.total = start
        self.step = step

    def receiveMsg_Add(self, msg, sender):
        self.total += msg.number * self.step

    def receiveMsg_Total(self, msg, sender):
        self.send(sender, self.total)

    def receiveMsg_Answer(self, msg, sender):
        for message in msg.messages:
            self.send(sender, message)

    def receiveMsg_str(self, msg, sender):
        raise ValueError(msg)


class TwoWords(Actor):
    pass


def test_messages_told_are_handled_in_order_before_a_later_question(runtime, system):
    adder = system.createActor(Adder)

    for number in range(100):
        system.tell(adder, Add(number))

    assert runtime.ask(adder, Total()) == 4950


def test_an_actor_gets_the_arguments_of_its_constructor(runtime, system):
    adder = system.createActor(Adder, 100, step=10)

    system.tell(adder, Add(1))

    assert runtime.ask(adder, Total()) == 110


def test_only_the_first_answer_counts_and_the_rest_are_dead_letters(runtime, system):
    adder = system.createActor(Adder)

    assert runtime.ask(adder, Answer((1, 2, 3))) == 1
    assert system.stats().dead_letters_by_name == {"asker": 2}


def test_none_is_an_answer(runtime, system):
    assert runtime.ask(system.createActor(Adder), Answer((None,))) is None


def test_an_answer_that_is_an_exception_is_raised(runtime, system):
    adder = system.createActor(Adder)

    with pytest.raises(KeyError, match="no such job"):
        runtime.ask(adder, Answer((KeyError("no such job"),)))


def test_an_answer_asyncio_cannot_raise_does_not_crash_who_gives_it(runtime, system):
    adder = system.createActor(Adder)

    with pytest.raises(RuntimeError, match="StopIteration"):
        runtime.ask(adder, Answer((StopIteration(),)))

    assert system.stats().crashes == 0


def test_the_answer_to_a_cancelled_question_is_a_dead_letter(runtime, system):
    adder = system.createActor(Adder)

    system.ask(adder, Total()).cancel()
    runtime.settle()

    assert system.stats().dead_letters_by_name == {"asker": 1}


def test_a_question_over_which_the_actor_crashes_raises_with_the_details(runtime, system):
    adder = system.createActor(Adder)

    with pytest.raises(ActorCrashed, match="adder crashed") as raised:
        runtime.ask(adder, "a word")

    assert "ValueError: a word" in raised.value.details


def test_a_question_to_a_stopped_actor_fails_instead_of_waiting(runtime, system):
    adder = system.createActor(Adder)
    system.tell(adder, ActorExitRequest())
    runtime.settle()

    with pytest.raises(ActorStopped, match="adder has stopped"):
        runtime.ask(adder, Total())


def test_questions_left_in_the_mailbox_of_an_actor_that_stops_fail(runtime, system):
    adder = system.createActor(Adder)

    system.tell(adder, ActorExitRequest())
    answer = system.ask(adder, Total())

    with pytest.raises(ActorStopped):
        runtime.result(answer)
    assert system.stats().dead_letters_by_name == {"adder": 1}


def test_a_reply_to_the_outside_is_a_dead_letter(runtime, system):
    system.tell(system.createActor(Adder), Total())
    runtime.settle()

    assert system.stats().dead_letters_by_name == {"outside": 1}


def test_an_actor_is_named_for_its_class_unless_named_otherwise(system):
    actors = [
        system.createActor(TwoWords),
        system.createActor(TwoWords),
        system.createActor(named(TwoWords, "batcher")),
    ]

    assert [str(actor) for actor in actors] == ["two_words", "two_words-2", "batcher"]
    assert list(system.stats().actors) == ["two_words", "two_words-2", "batcher"]


def test_a_name_is_free_again_when_its_actor_has_stopped(runtime, system):
    system.tell(system.createActor(TwoWords), ActorExitRequest())
    runtime.settle()

    assert system.createActor(TwoWords).name == "two_words"


def test_addresses_are_equal_only_to_themselves_and_can_be_keys(system):
    first, second = system.createActor(Adder), system.createActor(named(Adder, "adder"))

    assert first == first  # noqa: PLR0124 - that is the question here.
    assert first != second
    assert {first: 1, second: 2}[second] == 2


def test_an_address_also_answers_to_the_names_thespian_has_for_it(system):
    adder = system.createActor(Adder)

    assert (adder.addressDetails, adder.actorAddressString, str(adder)) == ("adder", "adder", "adder")


async def test_an_answer_arrives_in_the_turn_that_gives_it():
    system = ActorSystem()
    answer = system.ask(system.createActor(Adder), Total())
    arrived = asyncio.get_running_loop().create_future()

    # The system's turn was scheduled before this callback; there is no third step in between.
    asyncio.get_running_loop().call_soon(lambda: arrived.set_result(answer.done()))

    assert await arrived
    await system.stop(timeout=1)
