"""Which handler gets a message."""

import pytest

from corvo.actors.kernel.api import Actor, ActorExitRequest, Message


class Animal(Message, frozen=True):
    name: str


class Dog(Animal, frozen=True):
    pass


class Puppy(Dog, frozen=True):
    pass


class Stone(Message, frozen=True):
    pass


class Zoo(Actor):
    def receiveMsg_Animal(self, msg, sender):
        self.send(sender, f"animal {msg.name}")

    def receiveMsg_Dog(self, msg, sender):
        self.send(sender, f"dog {msg.name}")


class PettingZoo(Zoo):
    def receiveMsg_Animal(self, msg, sender):
        if msg.name == "tiger":
            return self.SUPER
        self.send(sender, f"petted {msg.name}")
        return None


class CarefulZoo(Actor):
    def receiveMsg_Dog(self, msg, sender):
        return self.SUPER

    def receiveUnrecognizedMessage(self, message, sender):
        self.send(sender, "what is this?")


def test_a_message_goes_to_the_handler_named_for_its_type(runtime, system):
    zoo = system.createActor(Zoo)

    assert runtime.ask(zoo, Dog("Rex")) == "dog Rex"
    assert runtime.ask(zoo, Animal("Leo")) == "animal Leo"


def test_a_message_without_a_handler_of_its_own_goes_to_that_of_its_base_class(runtime, system):
    assert runtime.ask(system.createActor(Zoo), Puppy("Tiny")) == "dog Tiny"


def test_an_actor_inherits_handlers_and_may_replace_them(runtime, system):
    petting = system.createActor(PettingZoo)

    assert runtime.ask(petting, Dog("Rex")) == "dog Rex"
    assert runtime.ask(petting, Animal("Leo")) == "petted Leo"


def test_a_handler_that_returns_super_passes_the_message_on(runtime, system):
    assert runtime.ask(system.createActor(PettingZoo), Animal("tiger")) == "animal tiger"


def test_a_message_passed_on_by_all_is_unrecognized(runtime, system):
    assert runtime.ask(system.createActor(CarefulZoo), Dog("Rex")) == "what is this?"


def test_an_actor_may_handle_what_it_does_not_recognize(runtime, system):
    assert runtime.ask(system.createActor(CarefulZoo), Stone()) == "what is this?"
    assert system.stats().unexpected == 0


def test_handlers_are_looked_up_once_per_class_and_type(runtime, system):
    runtime.ask(system.createActor(PettingZoo), Puppy("Tiny"))

    assert PettingZoo._handlers[Puppy] is Zoo.receiveMsg_Dog


def test_an_unexpected_message_is_logged_and_counted(runtime, system, logs):
    system.tell(system.createActor(Zoo), Stone())
    runtime.settle()

    assert system.stats().unexpected == 1
    assert logs == [
        {
            "event": "message.unexpected",
            "log_level": "warning",
            "actor": "zoo",
            "message_type": "Stone",
            "sender": "outside",
        }
    ]


def test_nobody_is_surprised_by_an_exit_request_without_a_handler(runtime, system):
    zoo = system.createActor(Zoo)

    system.tell(zoo, ActorExitRequest())
    runtime.settle()

    assert system.stats().unexpected == 0
    assert system.stats().actors == {}


@pytest.mark.parametrize("message", ["text", 7, None, ("a", 1)], ids=repr)
def test_anything_can_be_a_message(runtime, system, message):
    class Mirror(Actor):
        def receiveMsg_object(self, msg, sender):
            self.send(sender, msg)

    assert runtime.ask(system.createActor(Mirror), message) == message
