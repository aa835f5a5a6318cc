"""What requests want written, gathered and handed on together."""

import asyncio
from random import Random

import pytest

from corvo.actors.kernel.api import ActorCrashed, MailboxFull
from corvo.actors.write.messages import Answer, Declined
from corvo.core.errors import OutcomeUnknown, Overloaded
from corvo.http.serve.admission import Admission
from corvo.http.serve.counters import EdgeCounters
from corvo.http.serve.deadlines import Deadlines
from corvo.http.serve.write_gather import WriteGather
from corvo.ops.finish import Ack
from corvo.ops.lease import Heartbeat
from corvo.ops.queue_admin import PauseQueue
from tests.support.node import until

#: An op that must not be done twice, one that may be, and what they came to.
PAUSE = PauseQueue("q", paused=True)
BEAT = Heartbeat([])


class Client:
    def __init__(self):
        self.heard = []

    def written(self, written):
        self.heard.append((written.index, written.outcomes))

    def failed(self, error):
        self.heard.append(error)


class Clumsy(Client):
    def written(self, written):
        super().written(written)
        raise RuntimeError("it slipped")


class Batcher:
    """Takes submissions; the test says what becomes of them."""

    def __init__(self):
        self.submitted = []
        self.answers = []
        self.is_full = False

    def send(self, submit):
        if self.is_full:
            raise MailboxFull("batcher")
        self.submitted.append(submit)
        self.answers.append(asyncio.get_running_loop().create_future())
        return self.answers[-1]


@pytest.fixture
def batcher():
    return Batcher()


@pytest.fixture
async def room():
    return Admission(4, 1 << 30, EdgeCounters(), Random(1))


@pytest.fixture
async def intake(batcher, room):
    deadlines = Deadlines(asyncio.get_running_loop(), 0.05, lambda: OutcomeUnknown("late"))
    yield WriteGather(asyncio.get_running_loop(), room, deadlines, batcher.send)
    deadlines.close()


async def turn():
    for _ in range(3):
        await asyncio.sleep(0)


async def test_what_comes_in_one_turn_travels_together_and_each_hears_of_its_own(intake, batcher, room):
    clients = [Client() for _ in range(3)]
    for ops, client in enumerate(clients, 1):
        intake.put(client, (PAUSE,) * ops, 10)
    assert not batcher.submitted
    await turn()
    (submit,) = batcher.submitted
    assert (submit.ops, submit.size_bytes, submit.clients) == ((PAUSE,) * 6, 30, 3)
    assert room.ops == 6

    batcher.answers[0].set_result(Answer(7, list("abcdef")))
    await turn()
    heard = [[(7, ["a"])], [(7, ["b", "c"])], [(7, ["d", "e", "f"])]]
    assert [client.heard for client in clients] == heard
    assert (room.jobs, room.ops) == (0, 0)


async def test_what_comes_in_the_next_turn_travels_behind_it(intake, batcher):
    intake.put(Client(), (PAUSE,), 10)
    await turn()
    intake.put(Client(), (BEAT,), 10)
    await turn()
    assert [submit.ops for submit in batcher.submitted] == [(PAUSE,), (BEAT,)]


async def test_what_may_be_sent_again_does_not_travel_with_what_may_not_and_nobody_overtakes(intake, batcher):
    token = Ack("job_1", 5, None, None, False, None, False, None)
    for op in (PAUSE, BEAT, token, PAUSE, PAUSE):
        intake.put(Client(), (op,), 10)
    await turn()
    assert [submit.ops for submit in batcher.submitted] == [(PAUSE,), (BEAT, token), (PAUSE, PAUSE)]


async def test_a_group_is_closed_before_it_gets_too_large(intake, batcher):
    sizes = (200_000, 100_000, 1_000_000, 10)
    for size in sizes:
        intake.put(Client(), (PAUSE,), size)
    await turn()
    assert [submit.size_bytes for submit in batcher.submitted] == list(sizes)

    for ops in (300, 200, 100):
        intake.put(Client(), (PAUSE,) * ops, 10)
    await turn()
    assert [len(submit.ops) for submit in batcher.submitted[4:]] == [500, 100]


@pytest.mark.parametrize("how", ["declined", "crashed", "late", "no room"])
async def test_who_was_refused_together_hears_of_it_one_by_one(intake, batcher, room, how):
    clients = [Client(), Client()]
    batcher.is_full = how == "no room"
    for client in clients:
        intake.put(client, (PAUSE,), 10)
    await turn()
    if how == "declined":
        batcher.answers[0].set_result(Declined(Overloaded("full")))
    elif how == "crashed":
        batcher.answers[0].set_exception(ActorCrashed("batcher", "it fell"))
    await until(lambda: clients[1].heard)
    kinds = {"declined": Overloaded, "crashed": ActorCrashed, "late": OutcomeUnknown, "no room": MailboxFull}
    assert [type(error) for client in clients for error in client.heard] == [kinds[how]] * 2
    assert room.ops == 0


async def test_one_that_falls_over_its_answer_does_not_keep_others_from_theirs(intake, batcher):
    clumsy, other = Clumsy(), Client()
    intake.put(clumsy, (PAUSE,), 10)
    intake.put(other, (PAUSE,), 10)
    await turn()
    batcher.answers[0].set_result(Answer(7, ["a", "b"]))
    await turn()
    assert (clumsy.heard, other.heard) == ([(7, ["a"])], [(7, ["b"])])
