"""Deliveries in virtual time: order, retries, the cursor, and what a crash or a new leader leaves behind."""

from datetime import timedelta

from corvo.actors.state.messages import RoleChanged
from corvo.actors.webhooks.messages import CloseWebhooks, WebhooksClosed
from corvo.consensus.api import Role
from corvo.core.errors import NotLeader
from corvo.core.namespace import Reach, name_of, namespace_in, qualified
from corvo.ops.enqueue import Enqueue
from corvo.ops.flow import OpenBatch, SealBatch
from corvo.ops.upkeep import TrimEvents
from corvo.ops.webhooks import SetWebhook, SwitchWebhook
from tests.support.webhooks import BROKEN, OK, enqueue, make, start, stored


def test_what_happens_is_delivered_in_order_from_the_moment_it_was_made(path, sender, hooks):
    enqueue(path, count=3)
    make(path)
    enqueue(path, count=5)
    assert sender.seqs() == [4, 5, 6, 7, 8]
    _, _, headers, body = sender.sent[0]
    assert headers["X-Corvo-Webhook-Event"] == "enqueued"
    assert headers["X-Corvo-Webhook-Attempt"] == "1"
    assert "X-Corvo-Signature" not in headers
    assert (body["event"]["type"], body["event"]["queue"]) == ("enqueued", "q")


def test_each_webhook_gets_the_types_it_asked_for(path, sender, hooks):
    make(path, "wh_all")
    make(path, "wh_started", events=["started", "dead"])
    enqueue(path, count=2)
    path.wait(count=2).result()
    path.settle()
    assert sender.seqs("wh_all") == [1, 2, 3, 4]
    assert sender.seqs("wh_started") == [3, 4]


def test_a_failed_delivery_is_tried_again_after_longer_and_longer_rests(path, sender, hooks):
    url = make(path, retry_limit=4)
    sender.answers[url] = [BROKEN, BROKEN, BROKEN, OK]
    enqueue(path, count=2)
    attempts = [len(sender.sent)]
    for rest_ms in (200, 800, 1_800):
        path.system.advance(timedelta(milliseconds=rest_ms - 1))
        attempts.append(len(sender.sent))
        path.system.advance(timedelta(milliseconds=1))
        path.settle()
        attempts.append(len(sender.sent))
    assert attempts == [1, 1, 2, 2, 3, 3, 5]
    assert sender.seqs() == [1, 1, 1, 1, 2]
    assert [headers["X-Corvo-Webhook-Attempt"] for _, _, headers, _ in sender.sent] == list("12341")
    assert [headers["X-Corvo-Webhook-Delivery"] for _, _, headers, _ in sender.sent[:4]] == ["wh_1-1"] * 4


def test_an_event_that_fails_too_often_is_given_up_and_noted_and_the_next_one_follows(path, sender, hooks):
    url = make(path, retry_limit=2)
    sender.answers[url] = [BROKEN, BROKEN, OK]
    enqueue(path, count=2)
    path.advance(5)
    assert sender.seqs() == [1, 1, 2]
    webhook = stored(path)
    assert (webhook.cursor, webhook.delivered_total, webhook.failed_total) == (2, 1, 1)
    assert [(d.seq, d.attempts, d.status, d.error) for d in webhook.recent] == [
        (1, 2, 500, "the receiver answered 500"),
        (2, 1, 200, None),
    ]
    assert (webhook.failing_since_ns, webhook.first_failed_seq) == (None, None)


def test_the_cursor_is_saved_for_many_deliveries_at_once(path, sender, hooks):
    make(path, "wh_1")
    make(path, "wh_2")
    entries = path.entries
    for _ in range(20):
        enqueue(path, count=3)
    path.advance(3)
    assert (stored(path).cursor, stored(path, "wh_2").cursor) == (60, 60)
    assert path.entries - entries <= 20 + 3
    path.advance(120)
    quiet = path.entries
    path.advance(600)
    assert path.entries == quiet


def test_events_that_nobody_wants_are_passed_in_the_store_now_and_then(path, sender, hooks):
    make(path, events=["dead"])
    enqueue(path, count=5)
    path.advance(2)
    assert stored(path).cursor == 0
    path.advance(60)
    assert stored(path).cursor == 5
    assert sender.sent == []


def test_many_events_that_nobody_wants_are_passed_at_once(path, sender):
    start(path, sender, passing_max=100)
    make(path, events=["dead"])
    for _ in range(5):
        enqueue(path, count=30)
    path.advance(2)
    assert stored(path).cursor > 100


def test_after_a_crash_it_goes_on_at_the_cursor_and_misses_nothing(path, sender, hooks):
    make(path)
    enqueue(path, count=3)
    path.advance(2)
    assert stored(path).cursor == 3
    enqueue(path, count=2)
    path.crash(hooks)
    enqueue(path, count=2)
    path.advance(5)
    assert sender.seqs()[:5] == [1, 2, 3, 4, 5]
    # What was delivered and not yet saved comes again, in order; nothing else does.
    assert sender.seqs()[5:] in ([4, 5, 6, 7], [6, 7])
    assert stored(path).cursor == 7


def test_an_answer_to_a_delivery_from_before_a_crash_counts_for_nothing(path, sender, hooks):
    make(path)
    sender.hold = True
    enqueue(path)
    path.crash(hooks)
    path.advance(5)
    assert sender.seqs() == [1, 1]
    sender.let_go()
    path.advance(5)
    assert sender.seqs() == [1, 1]
    assert stored(path).delivered_total == 1


def test_only_the_leader_delivers_and_a_new_one_goes_on_where_the_old_one_was(path, sender, hooks):
    make(path)
    enqueue(path)
    path.advance(2)
    path.system.tell(path.fsm, RoleChanged(Role.FOLLOWER, 2, "n2"))
    path.settle()
    enqueue(path, count=2)
    make(path, "wh_2")
    path.advance(5)
    assert sender.seqs() == [1]
    path.system.tell(path.fsm, RoleChanged(Role.LEADER, 3, "n1"))
    path.settle()
    enqueue(path)
    path.advance(2)
    assert sender.seqs() == [1, 2, 3, 4]
    assert sender.seqs("wh_2") == [4]


def test_a_webhook_that_was_away_for_too_long_is_told_of_the_gap(path, sender, hooks):
    make(path, enabled=False, events=["enqueued"])
    enqueue(path, count=10)
    path.do(TrimEvents(keep=0, at_before_ns=path.clock.now_ns() + 1, limit=100))
    enqueue(path, count=2)
    path.do(SwitchWebhook("wh_1", enabled=True))
    path.advance(2)
    gap = sender.sent[0]
    assert gap[3]["event"] | {"at_ns": 0} == {
        "seq": 10,
        "type": "gap",
        "at_ns": 0,
        "data": {"from": 1, "to": 10},
    }
    assert gap[2]["X-Corvo-Webhook-Event"] == "gap"
    assert sender.seqs() == [10, 11, 12]
    assert stored(path).cursor == 12


def test_what_could_not_be_saved_is_saved_later(path, sender, hooks):
    make(path)
    enqueue(path, count=2)
    path.consensus.refusal = NotLeader("no")
    path.advance(3)
    assert stored(path).cursor == 0
    path.consensus.refusal = None
    path.advance(3)
    webhook = stored(path)
    assert (webhook.cursor, webhook.delivered_total, len(webhook.recent)) == (2, 2, 2)


def test_closing_begins_nothing_new_and_saves_at_once(path, sender, hooks):
    make(path)
    enqueue(path, count=2)
    assert isinstance(path.system.ask(hooks, CloseWebhooks()).result(), WebhooksClosed)
    path.settle()
    assert stored(path).cursor == 2
    enqueue(path)
    path.advance(2)
    assert sender.seqs() == [1, 2]


def test_whatever_happens_nothing_is_missing_and_everything_comes_first_in_order(path, sender):
    """Failing receivers, crashes, changes of leader, refused writes, webhooks switched off and on."""
    chance = path.system._random
    hooks = start(path, sender, in_flight_max=2)
    names = [f"wh_{number}" for number in range(4)]
    urls = [make(path, name, retry_limit=100) for name in names]
    for _ in range(70):
        sender.answers = {url: [chance.choice((OK, OK, BROKEN)) for _ in range(3)] for url in urls}
        what = chance.random()
        if what < 0.6:
            enqueue(path, count=chance.randint(1, 40))
        elif what < 0.65:
            path.crash(hooks)
        elif what < 0.7:
            path.system.tell(path.fsm, RoleChanged(Role.FOLLOWER, 2, "n2"))
            path.advance(chance.random())
            path.system.tell(path.fsm, RoleChanged(Role.LEADER, 3, "n1"))
        elif what < 0.8:
            path.do(SwitchWebhook(chance.choice(names), enabled=chance.random() < 0.5))
        elif what < 0.85:
            path.consensus.refusal = NotLeader("no")
            path.advance(1.5)
            path.consensus.refusal = None
        path.advance(chance.random() * 0.5)
    sender.answers = {}
    for name in names:
        path.do(SwitchWebhook(name, enabled=True))
    path.advance(120)
    last = path.machine.state.meta.last_seq
    assert last > 200
    for name in names:
        assert list(dict.fromkeys(sender.seqs(name))) == list(range(1, last + 1))
        assert stored(path, name).cursor == last
        assert stored(path, name).failed_total == 0


# Namespaces


def test_a_webhook_hears_of_its_own_namespace_and_scope_only(path, sender, hooks):
    reaches = {
        "wh_1": None,
        qualified("acme", "wh_1"): Reach("acme"),
        qualified("acme", "wh_2"): Reach("acme", ("mail",)),
        qualified("bolt", "wh_1"): Reach("bolt"),
    }
    for webhook_id, reach in reaches.items():
        url = f"http://{name_of(webhook_id)}.{namespace_in(reach)}.test/"
        path.do(SetWebhook(webhook_id, url, ("*",), None, True, 3, reach))
    queues = ("mail", qualified("acme", "mail"), qualified("acme", "sms"), qualified("bolt", "mail"))
    path.do(*(Enqueue(path.new_job(queue=queue)) for queue in queues))
    path.do(OpenBatch("batch_1", None, None, "acme"), SealBatch("batch_1", "acme"))
    path.settle()
    path.advance(5)
    heard = {webhook_id: stored(path, webhook_id).delivered_total for webhook_id in reaches}
    assert list(heard.values()) == [1, 3, 1, 1]


def test_what_others_do_while_it_was_off_is_not_caught_up_with(path, sender, hooks):
    reach, name = Reach("acme"), qualified("acme", "wh_1")
    path.do(SetWebhook(name, "http://x.test/", ("*",), None, False, 3, reach))
    for _ in range(100):
        path.do(Enqueue(path.new_job(queue="mail")))
    path.do(Enqueue(path.new_job(queue=qualified("acme", "mail"))))
    path.do(SwitchWebhook(name, enabled=True))
    path.advance(5)
    assert stored(path, name).delivered_total == 1
