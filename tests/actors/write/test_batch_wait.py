"""Who waits for whom, and for how long."""

from datetime import timedelta

import pytest

from corvo.actors.write.batch_wait import BatchWait
from corvo.core.clock import ManualClock

NOT_AT_ALL = timedelta()
BRIEFLY = timedelta(microseconds=300)
PATIENCE = timedelta(milliseconds=1)


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def batch_wait(clock):
    batch_wait = BatchWait(PATIENCE, clock)
    batch_wait.answered(1, waiting=0)
    return batch_wait


def test_who_comes_alone_does_not_wait(batch_wait):
    for _ in range(3):
        assert batch_wait.wait_with(1) == NOT_AT_ALL
        batch_wait.left(1)


def test_many_that_came_together_are_waited_for_until_as_many_are_there(batch_wait):
    batch_wait.left(20)
    assert batch_wait.wait_with(1) == PATIENCE
    assert batch_wait.wait_with(19) == PATIENCE
    assert batch_wait.wait_with(20) == NOT_AT_ALL


def test_a_few_are_waited_for_briefly(batch_wait):
    batch_wait.left(3)
    assert batch_wait.wait_with(2) == BRIEFLY
    assert batch_wait.wait_with(3) == NOT_AT_ALL


def test_who_came_while_another_was_served_waits_for_it_once(batch_wait):
    batch_wait.left(1)
    batch_wait.answered(1, waiting=1)
    assert batch_wait.wait_with(1) == BRIEFLY
    batch_wait.left(1)
    assert batch_wait.wait_with(1) == NOT_AT_ALL


def test_when_the_other_is_back_both_wait_for_each_other_from_then_on(batch_wait):
    batch_wait.answered(1, waiting=1)
    assert batch_wait.wait_with(2) == NOT_AT_ALL
    batch_wait.left(2)
    assert batch_wait.wait_with(1) == BRIEFLY


def waits_in_vain(batch_wait, chances):
    """How often one waits for another that never comes back, of so many times that it could."""
    waits = 0
    for _ in range(chances):
        batch_wait.answered(1, waiting=1)
        waits += batch_wait.wait_with(1) != NOT_AT_ALL
        batch_wait.left(1)
    return waits


def test_where_waiting_is_in_vain_it_is_tried_less_and_less_often_but_never_given_up(batch_wait):
    assert waits_in_vain(batch_wait, 64) == 6
    assert waits_in_vain(batch_wait, 640) == 10


def test_where_it_begins_to_pay_it_is_done_again(batch_wait):
    waits_in_vain(batch_wait, 640)
    together = 0
    for _ in range(200):
        batch_wait.answered(1, waiting=1)
        clients = 2 if batch_wait.wait_with(1) else 1
        together += clients == 2
        batch_wait.left(clients)
    assert together > 100


def test_many_do_not_wait_for_one(batch_wait):
    batch_wait.answered(1, waiting=40)
    assert batch_wait.wait_with(40) == NOT_AT_ALL


def test_a_batch_wait_that_is_gone_is_forgotten_within_a_few_batches(batch_wait):
    batch_wait.left(100)
    waits = []
    while wait := batch_wait.wait_with(1):
        waits.append(wait)
        batch_wait.left(1)
    assert waits == [PATIENCE] * 9 + [BRIEFLY] * 4


def test_who_comes_when_the_last_answer_is_long_ago_waits_for_nobody(batch_wait, clock):
    batch_wait.left(20)
    batch_wait.answered(20, waiting=0)
    clock.advance(ms=1)
    assert batch_wait.wait_with(1) == PATIENCE
    clock.advance(ns=1_000)
    assert batch_wait.wait_with(1) == NOT_AT_ALL


def test_nobody_waits_when_patience_is_switched_off(clock):
    batch_wait = BatchWait(NOT_AT_ALL, clock)
    batch_wait.left(100)
    batch_wait.answered(1, waiting=1)
    assert batch_wait.wait_with(1) == NOT_AT_ALL
