"""Full mailboxes: an answer, never an accident."""

from datetime import timedelta

import pytest

from corvo.actors.kernel.api import (
    MAILBOX_MESSAGES_MAX,
    Actor,
    ActorExitRequest,
    MailboxFull,
    Message,
    named,
)


class Order(Message, frozen=True):
    number: int


class Place(Message, frozen=True):
    """Order this many from the shop."""

    count: int


class Report(Message, frozen=True):
    pass


class Shop(Actor):
    def __init__(self):
        self.orders = []

    def receiveMsg_Order(self, msg, sender):
        self.orders.append(msg.number)

    def receiveMsg_Report(self, msg, sender):
        self.send(sender, self.orders)


class Customer(Actor):
    def __init__(self, shop):
        self.shop = shop
        self.refused = []

    def receiveMsg_Place(self, msg, sender):
        for number in range(msg.count):
            self.send(self.shop, Order(number))

    def receiveMsg_Refused(self, msg, sender):
        assert msg.target is sender is self.shop
        self.refused.append(msg.message.number)

    def receiveMsg_Report(self, msg, sender):
        self.send(sender, self.refused)


class Sleeper(Actor):
    """Fills its own mailbox just before it is woken up."""

    def __init__(self):
        self.log = []

    def receiveMsg_Place(self, msg, sender):
        timer = self.wakeupAfter(timedelta(hours=1))
        for number in range(msg.count):
            self.send(self.myAddress, Order(number))
        timer.ring()

    def receiveMsg_Order(self, msg, sender):
        self.log.append(msg.number)

    def receiveMsg_Refused(self, msg, sender):
        self.log.append("refused")

    def receiveMsg_WakeupMessage(self, msg, sender):
        self.log.append("awake")

    def receiveMsg_Report(self, msg, sender):
        self.send(sender, self.log)


def fill(system, target):
    """Tell it things until it is full; how many that took."""
    count = 0
    while True:
        try:
            system.tell(target, Order(count))
        except MailboxFull:
            return count
        count += 1


def test_a_full_mailbox_refuses_what_is_told_from_outside(runtime, system):
    shop = system.createActor(named(Shop, "shop", mailbox=3))

    assert fill(system, shop) == 3
    with pytest.raises(MailboxFull, match="the mailbox of shop is full"):
        system.tell(shop, Order(4))

    runtime.settle()
    assert runtime.ask(shop, Report()) == [0, 1, 2]
    assert system.stats().refused == 2


def test_a_question_to_a_full_mailbox_raises_at_once(system):
    shop = system.createActor(named(Shop, "shop", mailbox=3))
    fill(system, shop)

    with pytest.raises(MailboxFull):
        system.ask(shop, Report())


def test_the_capacity_has_a_default(system):
    assert fill(system, system.createActor(Shop)) == MAILBOX_MESSAGES_MAX


@pytest.mark.parametrize("placed", [5, 50])
def test_what_an_actor_sends_to_a_full_mailbox_comes_back_to_it(runtime, system, placed):
    shop = system.createActor(named(Shop, "shop", mailbox=5))
    customer = system.createActor(Customer, shop)

    system.tell(customer, Place(placed))
    runtime.settle()

    assert runtime.ask(shop, Report()) == list(range(5))
    assert runtime.ask(customer, Report()) == list(range(5, placed))
    assert system.stats().refused == placed - 5


def test_refused_messages_come_back_even_to_an_actor_that_is_full_itself(runtime, system):
    shop = system.createActor(named(Shop, "shop", mailbox=1))
    customer = system.createActor(named(Customer, "customer", mailbox=2), shop)

    system.tell(customer, Place(10))
    runtime.settle()

    assert runtime.ask(customer, Report()) == list(range(1, 10))


def test_a_wakeup_needs_no_room(runtime, system):
    sleeper = system.createActor(named(Sleeper, "sleeper", mailbox=1))

    system.tell(sleeper, Place(2))
    runtime.settle()

    assert runtime.ask(sleeper, Report()) == [0, "refused", "awake"]


def test_an_exit_request_needs_no_room(runtime, system):
    shop = system.createActor(named(Shop, "shop", mailbox=3))
    fill(system, shop)

    system.tell(shop, ActorExitRequest())
    runtime.settle()

    assert system.stats().actors == {}
    assert system.stats().delivered == 4


def test_the_high_water_mark_remembers_the_worst(runtime, system):
    shop = system.createActor(Shop)

    for number in range(7):
        system.tell(shop, Order(number))
    assert system.stats().actors["shop"].waiting == 7
    runtime.settle()

    stats = system.stats().actors["shop"]
    assert (stats.waiting, stats.waiting_max, stats.delivered) == (0, 7, 7)
