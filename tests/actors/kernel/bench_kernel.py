"""How fast the kernel is on this machine: `python tests/actors/kernel/bench_kernel.py`.

No test asserts these figures, since the machine is shared; they are for comparing two versions.
"""

import asyncio
import time
from datetime import timedelta

from corvo.actors.kernel.api import Actor, Message, ThreadActor
from corvo.actors.kernel.loop import ActorSystem

MESSAGES = 300_000
IN_FLIGHT = 256


class Ball(Message, frozen=True):
    number: int


class Start(Message, frozen=True):
    pass


class Wall(Actor):
    def receiveMsg_Ball(self, msg, sender):
        self.send(sender, msg)


class ThreadWall(ThreadActor):
    def receiveMsg_Ball(self, msg, sender):
        self.send(sender, msg)


class Player(Actor):
    """Keeps some balls in the air between itself and a wall."""

    def __init__(self, wall, throws, in_flight):
        self.wall = wall
        self.left = throws
        self.in_flight = in_flight

    def receiveMsg_Start(self, msg, sender):
        self.asker = sender
        for number in range(self.in_flight):
            self.send(self.wall, Ball(number))

    def receiveMsg_Ball(self, msg, sender):
        self.left -= 1
        if self.left > 0:
            self.send(sender, msg)
        elif self.left == 0:
            self.send(self.asker, "done")


class Sleeper(Actor):
    """Sets a timer per message and takes it back at the next one, as a batcher does."""

    timer = None

    def receiveMsg_Ball(self, msg, sender):
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.wakeupAfter(timedelta(milliseconds=2))
        if msg.number == 0:
            self.send(sender, "done")

    def receiveMsg_WakeupMessage(self, msg, sender):
        """Slept well."""


def report(what, count, started):
    print(f"{what:<44}{count / (time.perf_counter() - started):>12,.0f} /s")


async def sends(system, wall_class, what, in_flight):
    player = system.createActor(Player, system.createActor(wall_class), MESSAGES // 2, in_flight)
    started = time.perf_counter()
    await system.ask(player, Start())
    report(what, MESSAGES, started)


async def tells(system):
    wall = system.createActor(Sleeper)
    started = time.perf_counter()
    for _ in range(MESSAGES // 1_000):
        for number in range(1, 1_000):
            system.tell(wall, Ball(number))
        await system.ask(wall, Ball(0))
    report("tell, with a timer set and cancelled each", MESSAGES, started)


async def asks_gathered(system, window):
    wall = system.createActor(Wall)
    started = time.perf_counter()
    for _ in range(MESSAGES // window):
        await asyncio.gather(*[system.ask(wall, Ball(number)) for number in range(window)])
    report(f"ask, {window} at a time, gathered", MESSAGES, started)


async def asks_awaited(system, window):
    wall = system.createActor(Wall)
    started = time.perf_counter()
    for _ in range(MESSAGES // window):
        for answer in [system.ask(wall, Ball(number)) for number in range(window)]:
            await answer
    report(f"ask, {window} at a time, awaited in order", MESSAGES, started)


async def asks_by_tasks(system, tasks):
    wall = system.createActor(Wall)

    async def work():
        for number in range(MESSAGES // tasks):
            await system.ask(wall, Ball(number))

    started = time.perf_counter()
    await asyncio.gather(*[work() for _ in range(tasks)])
    report(f"ask, {tasks} tasks with one question each", MESSAGES, started)


async def main():
    system = ActorSystem()
    await sends(system, Wall, "send, actor to actor, 256 in flight", IN_FLIGHT)
    await sends(system, Wall, "send, actor to actor, 1 in flight", 1)
    await sends(system, ThreadWall, "send, loop to thread and back, 256 in flight", IN_FLIGHT)
    await tells(system)
    await asks_gathered(system, 1_000)
    await asks_awaited(system, 1_000)
    await asks_by_tasks(system, 100)
    assert await system.stop(timeout=5) == ()


if __name__ == "__main__":
    asyncio.run(main())
