"""What is special about the asyncio loop: turns, and what may not leak into them."""

import asyncio
import contextvars
import itertools

from corvo.actors.kernel.api import Actor, Message, ThreadActor
from corvo.actors.kernel.loop import SLICE_MESSAGES_MAX, TURN_MESSAGES_MAX, ActorSystem

request_id = contextvars.ContextVar("request_id", default=None)


class Ball(Message, frozen=True):
    pass


class Chatterbox(Actor):
    """Always has one more message for itself."""

    def __init__(self):
        self.count = 0

    def receiveMsg_Ball(self, msg, sender):
        self.count += 1
        self.send(self.myAddress, msg)

    def receiveMsg_str(self, msg, sender):
        self.send(sender, self.count)


class Witness(Actor):
    def receiveMsg_Ball(self, msg, sender):
        self.send(sender, request_id.get())


class ThreadWitness(Witness, ThreadActor):
    pass


class Interrupter(Actor):
    def receiveMsg_Ball(self, msg, sender):
        raise KeyboardInterrupt

    def receiveMsg_str(self, msg, sender):
        self.send(sender, msg)


async def test_the_loop_gets_its_turn_however_busy_the_actors_are():
    system = ActorSystem()
    chatterbox = system.createActor(Chatterbox)
    for _ in range(10):
        system.tell(chatterbox, Ball())

    delivered = []
    enough = asyncio.get_running_loop().create_future()

    def look():
        delivered.append(system.stats().delivered)
        if len(delivered) < 10:
            asyncio.get_running_loop().call_soon(look)
        else:
            enough.set_result(None)

    look()
    await enough

    for before, after in itertools.pairwise(delivered):
        assert 0 < after - before <= TURN_MESSAGES_MAX + SLICE_MESSAGES_MAX


async def test_actors_take_turns_with_a_busy_one():
    system = ActorSystem()
    chatterbox, witness = system.createActor(Chatterbox), system.createActor(Witness)
    system.tell(chatterbox, Ball())

    await system.ask(witness, Ball())

    assert await system.ask(chatterbox, "count") <= 2 * TURN_MESSAGES_MAX


async def test_a_system_at_rest_schedules_nothing():
    system = ActorSystem()
    await system.ask(system.createActor(Witness), Ball())

    assert not system._turning
    assert system._timer is None


async def test_the_context_of_a_request_does_not_leak_into_actors():
    system = ActorSystem()
    request_id.set("request-1")

    assert await system.ask(system.createActor(Witness), Ball()) is None
    assert await system.ask(system.createActor(ThreadWitness), Ball()) is None
    await system.stop(timeout=5)


def test_the_system_can_still_be_stopped_after_an_interrupt_inside_a_handler():
    loop = asyncio.new_event_loop()

    async def make():
        return ActorSystem()

    system = loop.run_until_complete(make())
    interrupter = system.createActor(Interrupter)
    system.tell(interrupter, Ball())
    answer = system.ask(interrupter, "still there")
    try:
        loop.run_until_complete(answer)
    except KeyboardInterrupt:
        interrupted = True

    assert interrupted
    assert loop.run_until_complete(answer) == "still there"
    assert loop.run_until_complete(system.stop(timeout=5)) == ()
    loop.close()
