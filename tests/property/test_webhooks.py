"""Webhooks under random histories: every replica agrees, every invariant holds, no cursor runs ahead."""

from hypothesis import given
from hypothesis import strategies as st

from corvo.core.webhook import Delivery, decode_webhook
from corvo.ops.enqueue import Enqueue
from corvo.ops.upkeep import TrimEvents
from corvo.ops.webhooks import (
    Advance,
    AdvanceWebhooks,
    DeleteWebhook,
    RewindWebhook,
    SetWebhook,
    SwitchWebhook,
)
from corvo.storage import keys
from corvo.storage.invariants import check
from tests.support.fsm import Fsm

ids = st.sampled_from(["wh_a", "wh_b", "wh_c"])
numbers = st.integers(0, 40)
deliveries = st.builds(
    Delivery, numbers, st.just("enqueued"), numbers, numbers, st.none(), st.just("no"), numbers
)
advances = st.builds(
    Advance,
    ids,
    numbers,
    numbers,
    numbers,
    numbers,
    st.lists(deliveries, max_size=20).map(tuple),
    st.none() | numbers,
    st.none() | numbers,
    numbers,
    st.none() | st.just("it failed"),
)
ops = st.one_of(
    st.builds(
        SetWebhook,
        ids,
        st.just("https://x.test/"),
        st.just(("*",)),
        st.none() | st.just("s"),
        st.booleans(),
        st.just(3),
    ),
    st.builds(DeleteWebhook, ids),
    st.builds(SwitchWebhook, ids, st.booleans(), st.booleans()),
    st.builds(RewindWebhook, ids, numbers),
    st.builds(AdvanceWebhooks, st.lists(advances, max_size=3)),
    st.builds(TrimEvents, numbers, st.just(2**62), numbers),
    st.just("enqueue"),
)


@given(st.lists(st.lists(ops, min_size=1, max_size=4), max_size=12))
def test_any_history_of_webhooks_is_sound_and_the_same_everywhere(history):
    fsm, twin = Fsm(), Fsm()
    for entry in history:
        made = [Enqueue(fsm.new_job()) if op == "enqueue" else op for op in entry]
        before = {key: decode_webhook(value) for key, value in fsm.dump().items() if _is_webhook(key)}
        assert fsm.apply(*made) is not None
        twin.apply(*made)
        twin.restart()
        _check_step(fsm, before, made)
    assert fsm.dump() == twin.dump()
    assert list(check(fsm.kv)) == []


def _is_webhook(key):
    return key.startswith(keys.WEBHOOK)


def _check_step(fsm, before, made):
    """Only what people do moves a cursor back, and it never passes the log."""
    by_people = {op.webhook_id for op in made if isinstance(op, RewindWebhook | DeleteWebhook | SetWebhook)}
    for key, value in fsm.dump().items():
        if _is_webhook(key):
            webhook = decode_webhook(value)
            assert webhook.cursor <= fsm.machine.state.meta.last_seq
            if key in before and webhook.id not in by_people:
                assert webhook.cursor >= before[key].cursor
