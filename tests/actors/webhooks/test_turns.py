"""One delivery after the other, and many webhooks side by side: whose turn it is."""

import pytest

from corvo.actors.webhooks.delivery_queue import WAITING_MAX
from corvo.actors.webhooks.messages import DeliveryItem, SendNow
from corvo.core.errors import Overloaded
from tests.support.webhooks import BROKEN, OK, enqueue, make, start, stored


def test_one_delivery_at_a_time_and_none_before_the_one_before_it(path, sender, hooks):
    make(path)
    sender.hold = True
    enqueue(path, count=5)
    assert sender.seqs() == [1]
    sender.let_go()
    path.settle()
    assert sender.seqs() == [1, 2, 3, 4, 5]


def test_a_slow_receiver_does_not_keep_the_others_waiting(path, sender, hooks):
    make(path, "wh_slow", events=["enqueued"])
    sender.hold = True
    enqueue(path)
    sender.hold = False
    make(path, "wh_fast")
    enqueue(path, count=4)
    assert sender.seqs("wh_slow") == [1]
    assert sender.seqs("wh_fast") == [2, 3, 4, 5]


def test_more_than_waits_in_memory_is_read_from_the_log(path, sender, hooks):
    make(path)
    sender.hold = True
    for _ in range(10):
        enqueue(path, count=WAITING_MAX // 2)
    sender.let_go()
    path.settle()
    assert sender.seqs() == list(range(1, 5 * WAITING_MAX + 1))


def test_no_more_than_so_many_deliveries_are_under_way_and_turns_are_fair(path, sender):
    hooks = start(path, sender, in_flight_max=3)
    for number in range(6):
        make(path, f"wh_{number}")
    sender.hold = True
    enqueue(path, count=2)
    assert len(sender.held) == 3
    busy = path.system.ask(hooks, SendNow(stored(path, "wh_0"), DeliveryItem(0, "ping"))).result
    with pytest.raises(Overloaded):
        busy()
    sender.let_go()
    path.advance(2)
    for number in range(6):
        assert sender.seqs(f"wh_{number}") == [1, 2]


def test_a_retry_that_finds_no_room_waits_for_it(path, sender):
    start(path, sender, in_flight_max=1)
    broken = make(path, "wh_broken", retry_limit=2)
    make(path, "wh_other")
    sender.answers[broken] = [BROKEN, OK]
    enqueue(path)
    sender.hold = True
    enqueue(path)
    path.advance(1)
    sender.let_go()
    path.advance(3)
    assert sender.seqs("wh_broken") == [1, 1, 2]
    assert sender.seqs("wh_other") == [1, 2]
