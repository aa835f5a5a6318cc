"""Who waits for whom, and for how long."""

from datetime import timedelta

import pytest

from corvo.actors.write.batch_wait import Crowd
from corvo.core.clock import ManualClock

NOT_AT_ALL = timedelta()
BRIEFLY = timedelta(microseconds=300)
PATIENCE = timedelta(milliseconds=1)


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def crowd(clock):
    crowd = Crowd(PATIENCE, clock)
    crowd.answered(1, waiting=0)
    return crowd


def test_who_comes_alone_does_not_wait(crowd):
    for _ in range(3):
        assert crowd.wait_with(1) == NOT_AT_ALL
        crowd.left(1)


def test_many_that_came_together_are_waited_for_until_as_many_are_there(crowd):
    crowd.left(20)
    assert crowd.wait_with(1) == PATIENCE
    assert crowd.wait_with(19) == PATIENCE
    assert crowd.wait_with(20) == NOT_AT_ALL


def test_a_few_are_waited_for_briefly(crowd):
    crowd.left(3)
    assert crowd.wait_with(2) == BRIEFLY
    assert crowd.wait_with(3) == NOT_AT_ALL


def test_who_came_while_another_was_served_waits_for_it_once(crowd):
    crowd.left(1)
    crowd.answered(1, waiting=1)
    assert crowd.wait_with(1) == BRIEFLY
    crowd.left(1)
    assert crowd.wait_with(1) == NOT_AT_ALL


def test_when_the_other_is_back_both_wait_for_each_other_from_then_on(crowd):
    crowd.answered(1, waiting=1)
    assert crowd.wait_with(2) == NOT_AT_ALL
    crowd.left(2)
    assert crowd.wait_with(1) == BRIEFLY


def waits_in_vain(crowd, chances):
    """How often one waits for another that never comes back, of so many times that it could."""
    waits = 0
    for _ in range(chances):
        crowd.answered(1, waiting=1)
        waits += crowd.wait_with(1) != NOT_AT_ALL
        crowd.left(1)
    return waits


def test_where_waiting_is_in_vain_it_is_tried_less_and_less_often_but_never_given_up(crowd):
    assert waits_in_vain(crowd, 64) == 6
    assert waits_in_vain(crowd, 640) == 10


def test_where_it_begins_to_pay_it_is_done_again(crowd):
    waits_in_vain(crowd, 640)
    together = 0
    for _ in range(200):
        crowd.answered(1, waiting=1)
        clients = 2 if crowd.wait_with(1) else 1
        together += clients == 2
        crowd.left(clients)
    assert together > 100


def test_many_do_not_wait_for_one(crowd):
    crowd.answered(1, waiting=40)
    assert crowd.wait_with(40) == NOT_AT_ALL


def test_a_crowd_that_is_gone_is_forgotten_within_a_few_batches(crowd):
    crowd.left(100)
    waits = []
    while wait := crowd.wait_with(1):
        waits.append(wait)
        crowd.left(1)
    assert waits == [PATIENCE] * 9 + [BRIEFLY] * 4


def test_who_comes_when_the_last_answer_is_long_ago_waits_for_nobody(crowd, clock):
    crowd.left(20)
    crowd.answered(20, waiting=0)
    clock.advance(ms=1)
    assert crowd.wait_with(1) == PATIENCE
    clock.advance(ns=1_000)
    assert crowd.wait_with(1) == NOT_AT_ALL


def test_nobody_waits_when_patience_is_switched_off(clock):
    crowd = Crowd(NOT_AT_ALL, clock)
    crowd.left(100)
    crowd.answered(1, waiting=1)
    assert crowd.wait_with(1) == NOT_AT_ALL
