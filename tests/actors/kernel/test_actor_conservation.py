"""No message vanishes: under crashes, exits and full mailboxes each one has exactly one fate."""

import random
from collections import Counter
from datetime import timedelta

import pytest

from corvo.actors.kernel.api import (
    Actor,
    ActorExitRequest,
    MailboxFull,
    Message,
    OnCrash,
    Refused,
    ThreadActor,
    named,
)
from corvo.actors.kernel.sim import SimSystem


class Letter(Message, frozen=True):
    number: int


class Ledger:
    """Which letters were written and what became of each."""

    def __init__(self, chance):
        self.chance = chance
        self.written = 0
        self.fates = []
        self.actors = []

    def write(self):
        self.written += 1
        return Letter(self.written)

    def settle(self, letter, fate):
        self.fates.append((letter.number, fate))

    def someone(self):
        return self.chance.choice(self.actors)


class Resident(Actor):
    """Reads a letter, writes up to two others, and sometimes crashes, exits or has a child."""

    def __init__(self, ledger):
        self.ledger = ledger

    def receiveMsg_Letter(self, msg, sender):
        event = self.ledger.chance.random()
        if event < 0.05:
            self.ledger.settle(msg, "fatal")
            raise ValueError("bad news")
        self.ledger.settle(msg, "read")
        if event < 0.06:
            self.send(self.myAddress, ActorExitRequest())
        elif event < 0.10:
            kind = self.ledger.chance.choice([Resident, Mortal, ThreadResident])
            self.ledger.actors.append(self.createActor(named(kind, "child", mailbox=3), self.ledger))
        for _ in range(self.ledger.chance.choice([0, 0, 1, 1, 2])):
            self.send(self.ledger.someone(), self.ledger.write())

    def receiveMsg_Refused(self, msg, sender):
        self.ledger.settle(msg.message, "refused")

    def receiveMsg_PoisonMessage(self, msg, sender):
        """The letter was settled by who died of it."""


class Mortal(Resident):
    on_crash = OnCrash.STOP


class ThreadResident(Resident, ThreadActor):
    pass


class Undertaker(Actor):
    def __init__(self, ledger):
        self.ledger = ledger

    def started(self):
        self.handleDeadLetters()

    def receiveMsg_DeadEnvelope(self, msg, sender):
        match msg.deadMessage:
            case Letter() as letter:
                self.ledger.settle(letter, "dead")
            case Refused(message=letter):
                # It came back to a sender who had stopped meanwhile.
                self.ledger.settle(letter, "refused")


@pytest.mark.parametrize("seed", range(30), ids="seed={}".format)
def test_every_letter_has_exactly_one_fate(seed):
    system = SimSystem(seed)
    ledger = Ledger(random.Random(seed))
    system.createActor(named(Undertaker, "undertaker", mailbox=100_000), ledger)
    kinds = [Resident, Mortal, ThreadResident]
    ledger.actors = [
        system.createActor(named(kinds[n % 3], f"resident{n}", mailbox=3), ledger) for n in range(9)
    ]

    for _ in range(300):
        letter = ledger.write()
        try:
            system.tell(ledger.someone(), letter)
        except MailboxFull:
            ledger.settle(letter, "refused")
        system.advance(timedelta(microseconds=ledger.chance.randrange(3_000)))
    system.advance(timedelta(seconds=30))
    system.stop()

    fates = Counter(fate for _, fate in ledger.fates)
    assert sorted(number for number, _ in ledger.fates) == list(range(1, ledger.written + 1)), fates
    assert system.stats().actors == {}
    assert system.stats().alarms == 0
