import pytest

from corvo.core.errors import NotFound, WebhookRefused
from corvo.core.limits import WEBHOOKS_MAX
from corvo.core.webhook import RECENT_MAX, Delivery, decode_webhook
from corvo.ops.enqueue import Enqueue
from corvo.ops.webhooks import (
    Advance,
    AdvanceWebhooks,
    DeleteWebhook,
    RewindWebhook,
    SetWebhook,
    SwitchWebhook,
)
from corvo.storage import keys


def make(fsm, webhook_id="wh_1", **fields):
    defaults = {"url": "https://example.com/hook", "events": ("*",), "secret": "s", "enabled": True}
    return fsm.one(SetWebhook(webhook_id, **({"retry_limit": 3} | defaults | fields)))


def stored(fsm, webhook_id="wh_1"):
    value = fsm.kv.get(keys.webhook(webhook_id))
    return None if value is None else decode_webhook(value)


def advance(fsm, cursor, webhook_id="wh_1", **fields):
    defaults = {"delivered": 1, "failed": 0, "recent": ()}
    defaults |= {"failing_since_ns": None, "first_failed_seq": None, "failed_in_a_row": 0}
    epoch = fields.pop("epoch", None) or stored(fsm, webhook_id).epoch
    return fsm.one(AdvanceWebhooks([Advance(webhook_id, epoch, cursor, **(defaults | fields))]))


def delivery(seq, error=None):
    return Delivery(seq, "enqueued", 1, 1, 200, error, 5)


def test_a_new_webhook_starts_with_the_next_event(fsm):
    fsm.enqueue()
    make(fsm)
    assert stored(fsm).cursor == 1


def test_in_one_entry_it_starts_after_what_came_before_it_and_before_what_comes_after(fsm):
    settings = SetWebhook("wh_1", "https://x.test/", ("*",), None, enabled=True, retry_limit=3)
    fsm.apply(Enqueue(fsm.new_job()), settings, Enqueue(fsm.new_job()))
    assert stored(fsm).cursor == 1
    assert fsm.machine.state.meta.last_seq == 2


def test_setting_it_again_changes_it_and_keeps_its_place_its_secret_and_its_counts(fsm):
    make(fsm)
    created_ns = stored(fsm).created_ns
    fsm.enqueue()
    advance(fsm, 1)
    make(fsm, url="https://other.test/", secret=None, events=("dead",), retry_limit=9)
    webhook = stored(fsm)
    assert (webhook.url, webhook.events, webhook.retry_limit) == ("https://other.test/", ("dead",), 9)
    assert (webhook.secret, webhook.cursor, webhook.delivered_total) == ("s", 1, 1)
    assert webhook.created_ns == created_ns
    make(fsm, secret="")
    assert stored(fsm).secret is None


def test_the_cursor_only_moves_forward_and_never_beyond_the_log(fsm):
    make(fsm)
    for _ in range(5):
        fsm.enqueue()
    advance(fsm, 4)
    advance(fsm, 2)
    assert stored(fsm).cursor == 4
    advance(fsm, 99)
    assert stored(fsm).cursor == 5


def test_news_from_before_a_change_is_dropped(fsm):
    make(fsm)
    old_epoch = stored(fsm).epoch
    for _ in range(5):
        fsm.enqueue()
    advance(fsm, 5)
    fsm.one(RewindWebhook("wh_1", 2))
    assert stored(fsm).cursor == 1
    assert advance(fsm, 5, epoch=old_epoch).count == 0
    assert (stored(fsm).cursor, stored(fsm).delivered_total) == (1, 1)
    advance(fsm, 3)
    assert stored(fsm).cursor == 3


@pytest.mark.parametrize(("from_seq", "cursor"), [(0, 0), (1, 0), (3, 2), (4, 3), (10**12, 3)])
def test_rewinding_stays_within_the_log(fsm, from_seq, cursor):
    make(fsm)
    for _ in range(3):
        fsm.enqueue()
    fsm.one(RewindWebhook("wh_1", from_seq))
    assert stored(fsm).cursor == cursor


def test_switched_off_it_keeps_its_place_and_switched_on_it_goes_on_or_starts_anew(fsm):
    make(fsm)
    fsm.one(SwitchWebhook("wh_1", enabled=False))
    fsm.enqueue()
    assert (stored(fsm).enabled, stored(fsm).cursor) == (False, 0)
    fsm.one(SwitchWebhook("wh_1", enabled=True))
    assert (stored(fsm).enabled, stored(fsm).cursor) == (True, 0)
    fsm.one(SwitchWebhook("wh_1", enabled=True, from_now=True))
    assert stored(fsm).cursor == 1


def test_after_long_failure_it_is_switched_off_with_a_reason_until_somebody_switches_it_on(fsm):
    make(fsm)
    fsm.enqueue()
    failing = {"failing_since_ns": 7, "first_failed_seq": 1, "failed_in_a_row": 1}
    advance(fsm, 1, delivered=0, failed=1, disable="it failed for 24 h", **failing)
    webhook = stored(fsm)
    assert (webhook.enabled, webhook.disabled_reason) == (False, "it failed for 24 h")
    assert (webhook.failed_total, webhook.failing_since_ns, webhook.first_failed_seq) == (1, 7, 1)
    fsm.one(SwitchWebhook("wh_1", enabled=True))
    webhook = stored(fsm)
    assert (webhook.enabled, webhook.disabled_reason) == (True, None)
    assert (webhook.failing_since_ns, webhook.failed_in_a_row) == (None, 0)


def test_it_remembers_the_latest_deliveries_only(fsm):
    make(fsm)
    for _ in range(30):
        fsm.enqueue()
    advance(fsm, 15, recent=tuple(delivery(seq) for seq in range(1, 16)))
    advance(fsm, 30, recent=tuple(delivery(seq) for seq in range(16, 31)))
    assert [d.seq for d in stored(fsm).recent] == list(range(31 - RECENT_MAX, 31))


def test_one_op_advances_many_and_passes_over_those_that_are_gone(fsm):
    make(fsm, "wh_1")
    make(fsm, "wh_2")
    fsm.enqueue()
    news = [
        Advance(webhook_id, epoch, 1, 1, 0, (), None, None, 0)
        for webhook_id, epoch in (
            ("wh_1", stored(fsm, "wh_1").epoch),
            ("wh_gone", 1),
            ("wh_2", stored(fsm, "wh_2").epoch),
        )
    ]
    assert fsm.one(AdvanceWebhooks(news)).count == 2
    assert (stored(fsm, "wh_1").cursor, stored(fsm, "wh_2").cursor) == (1, 1)


def test_a_deleted_webhook_is_gone_and_everybody_hears_of_it(fsm):
    make(fsm)
    fsm.one(DeleteWebhook("wh_1"))
    assert stored(fsm) is None
    assert fsm.applied[-1].webhooks == {"wh_1": None}
    for op in (DeleteWebhook("wh_1"), SwitchWebhook("wh_1", enabled=True), RewindWebhook("wh_1", 1)):
        with pytest.raises(NotFound):
            fsm.one(op)


def test_there_is_a_limit_to_how_many_there_may_be(fsm):
    for number in range(WEBHOOKS_MAX):
        make(fsm, f"wh_{number}")
    with pytest.raises(WebhookRefused, match="the most"):
        make(fsm, "wh_more")
    make(fsm, "wh_1", url="https://changed.test/")
    assert stored(fsm).url == "https://changed.test/"


def test_the_answer_that_is_remembered_holds_no_secret(fsm):
    from corvo.ops.idempotency import Once

    settings = SetWebhook("wh_1", "https://x.test/", ("*",), "top-secret", enabled=True, retry_limit=3)
    fsm.apply(Once("key", b"digest", 1), settings)
    remembered = [value for key, value in fsm.dump().items() if key.startswith(keys.IDEMPOTENCY)]
    assert len(remembered) == 1
    assert b"top-secret" not in remembered[0]
