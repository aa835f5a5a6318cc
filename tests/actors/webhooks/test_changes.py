"""What people change about a webhook, and what switches it off by itself."""

from corvo.actors.status import GetStatus
from corvo.actors.webhooks.messages import DeliveryItem, SendNow
from corvo.core.clock import NS_PER_S
from corvo.ops.webhooks import DeleteWebhook, RewindWebhook, SwitchWebhook
from tests.support.webhooks import BROKEN, OK, enqueue, make, start, stored


def test_rewinding_delivers_again_from_there_and_forgets_what_was_under_way(path, sender, hooks):
    make(path)
    enqueue(path, count=4)
    path.advance(2)
    sender.hold = True
    enqueue(path)
    path.do(RewindWebhook("wh_1", 3))
    path.settle()
    sender.let_go()
    path.advance(2)
    assert sender.seqs() == [1, 2, 3, 4, 5, 3, 4, 5]
    assert stored(path).cursor == 5


def test_switched_off_nothing_is_delivered_and_switched_on_nothing_is_missing(path, sender, hooks):
    make(path)
    enqueue(path)
    path.advance(2)
    path.do(SwitchWebhook("wh_1", enabled=False))
    enqueue(path, count=3)
    path.advance(2)
    assert sender.seqs() == [1]
    path.do(SwitchWebhook("wh_1", enabled=True))
    path.advance(2)
    assert sender.seqs() == [1, 2, 3, 4]
    path.do(SwitchWebhook("wh_1", enabled=False))
    enqueue(path, count=3)
    path.do(SwitchWebhook("wh_1", enabled=True, from_now=True))
    enqueue(path)
    path.advance(2)
    assert sender.seqs() == [1, 2, 3, 4, 8]


def test_a_deleted_webhook_gets_nothing_more(path, sender, hooks):
    url = make(path)
    sender.answers[url] = BROKEN
    enqueue(path, count=3)
    path.do(DeleteWebhook("wh_1"))
    path.advance(10)
    assert sender.seqs() == [1]


def test_failing_for_long_switches_it_off_with_the_reason_and_it_can_be_switched_on_again(path, sender):
    hooks = start(path, sender, disable_after_ns=10 * NS_PER_S)
    url = make(path, retry_limit=1)
    sender.answers[url] = BROKEN
    for _ in range(14):
        enqueue(path)
        path.advance(1)
    webhook = stored(path)
    assert not webhook.enabled
    assert "for 10 s" in webhook.disabled_reason
    assert "answered 500" in webhook.disabled_reason
    assert webhook.first_failed_seq == 1
    given_up = len(sender.sent)
    assert 10 <= given_up < 14
    enqueue(path)
    path.advance(5)
    assert len(sender.sent) == given_up
    sender.answers[url] = OK
    path.do(SwitchWebhook("wh_1", enabled=True))
    path.advance(2)
    # It goes on with the first event that was not tried.
    assert sender.seqs() == list(range(1, 16))
    assert stored(path).enabled
    assert path.system.ask(hooks, GetStatus()).result().failed_total == given_up


def test_a_few_failures_far_apart_do_not_switch_it_off(path, sender):
    start(path, sender, disable_after_ns=10 * NS_PER_S)
    url = make(path, retry_limit=1)
    sender.answers[url] = BROKEN
    for number in range(5):
        enqueue(path)
        path.advance(60)
        assert stored(path).enabled == (number < 4)


def test_one_success_ends_the_time_of_failing(path, sender):
    start(path, sender, disable_after_ns=10 * NS_PER_S)
    url = make(path, retry_limit=1)
    for number in range(30):
        sender.answers[url] = OK if number % 8 == 7 else BROKEN
        enqueue(path)
        path.advance(1)
    assert stored(path).enabled


def test_one_can_be_sent_by_hand_out_of_order(path, sender, hooks):
    make(path, enabled=False)
    receipt = path.system.ask(hooks, SendNow(stored(path), DeliveryItem(0, "ping"))).result()
    assert receipt.status == 200
    ((_, seq, headers, body),) = sender.sent
    assert (seq, headers["X-Corvo-Webhook-Event"], body["event"]["type"]) == (0, "ping", "ping")
