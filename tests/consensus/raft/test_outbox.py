"""Promises wait for the disk, everything else does not."""

import pytest

from corvo.consensus.link.codec import MESSAGE_TYPES
from corvo.consensus.raft.outbox import PROMISES, Outbox
from tests.consensus.doubles import RecorderLink


@pytest.fixture
def link():
    return RecorderLink()


@pytest.fixture
def outbox(link):
    return Outbox(link)


@pytest.mark.parametrize("kind", sorted(PROMISES))
def test_a_promise_leaves_only_when_it_is_released(outbox, link, kind):
    assert outbox.post("b", {"type": kind})
    assert link.sent == []

    outbox.release()

    assert link.sent == [("b", {"type": kind})]


@pytest.mark.parametrize("kind", sorted(MESSAGE_TYPES - PROMISES))
def test_what_promises_nothing_leaves_at_once(outbox, link, kind):
    outbox.post("b", {"type": kind})
    assert link.sent == [("b", {"type": kind})]


def test_promises_keep_their_order_and_leave_once(outbox, link):
    for number in range(3):
        outbox.post("b", {"type": "next_node_idx", "sequence": number})

    outbox.release()
    outbox.release()

    assert [message["sequence"] for _, message in link.sent] == [0, 1, 2]


def test_a_closed_link_is_told_to_whoever_sends(outbox, link):
    link.is_open = False
    assert not outbox.post("b", {"type": "append_entries"})
