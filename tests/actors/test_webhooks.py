"""Deliveries in virtual time: order, retries, the cursor, and what a crash or a new leader leaves behind."""

import json
from datetime import timedelta

import pytest

from corvo.actors.courier import Posted, Receipt
from corvo.actors.messages import GetStatus, RoleChanged
from corvo.actors.webhook_line import WAITING_MAX, Item
from corvo.actors.webhook_messages import CloseWebhooks, SendNow, WebhooksClosed
from corvo.actors.webhooks import Webhooks, WebhookSettings
from corvo.consensus.api import Role
from corvo.core.clock import NS_PER_S
from corvo.core.errors import NotLeader, Overloaded
from corvo.core.webhook import decode_webhook
from corvo.http.schema.webhooks import pack
from corvo.ops.enqueue import Enqueue
from corvo.ops.upkeep import TrimEvents
from corvo.ops.webhooks import DeleteWebhook, RewindWebhook, SetWebhook, SwitchWebhook
from corvo.storage import keys

OK = Receipt(200, None, 1)
BROKEN = Receipt(500, "the receiver answered 500", 1)


class FakeCourier:
    """Receivers that do as they are told, at once or when a test lets them."""

    def __init__(self, system):
        self._system = system
        self.sent = []
        self.held = []
        self.hold = False
        self.answers = {}

    def post(self, parcel, reply_to, tag):
        body = json.loads(parcel.body)
        self.sent.append((body["webhook_id"], body["event"]["seq"], dict(parcel.headers), body))
        if self.hold:
            self.held.append((parcel, reply_to, tag))
        else:
            self._answer(parcel, reply_to, tag)

    def let_go(self):
        held, self.held = self.held, []
        self.hold = False
        for each in held:
            self._answer(*each)

    def _answer(self, parcel, reply_to, tag):
        planned = self.answers.get(parcel.url, OK)
        receipt = planned.pop(0) if isinstance(planned, list) and planned else planned
        self._system.tell(reply_to, Posted(tag, receipt or OK))

    def seqs(self, webhook_id="wh_1"):
        return [seq for name, seq, _, _ in self.sent if name == webhook_id]


@pytest.fixture
def courier(path):
    return FakeCourier(path.system)


@pytest.fixture
def hooks(path, courier):
    return start(path, courier)


def start(path, courier, **settings):
    hooks = path.system.createActor(
        Webhooks, path.batcher, path.fsm, courier, pack, WebhookSettings(**settings), path.clock
    )
    path.settle()
    return hooks


def make(path, webhook_id="wh_1", events=("*",), enabled=True, retry_limit=3, secret=None):
    url = f"http://{webhook_id}.test/"
    path.do(SetWebhook(webhook_id, url, tuple(events), secret, enabled=enabled, retry_limit=retry_limit))
    path.settle()
    return url


def enqueue(path, queue="q", count=1):
    path.do(*(Enqueue(path.new_job(queue)) for _ in range(count)))
    path.settle()


def stored(path, webhook_id="wh_1"):
    return decode_webhook(path.kv.get(keys.webhook(webhook_id)))


def test_what_happens_is_delivered_in_order_from_the_moment_it_was_made(path, courier, hooks):
    enqueue(path, count=3)
    make(path)
    enqueue(path, count=5)
    assert courier.seqs() == [4, 5, 6, 7, 8]
    _, _, headers, body = courier.sent[0]
    assert headers["X-Corvo-Webhook-Event"] == "enqueued"
    assert headers["X-Corvo-Webhook-Attempt"] == "1"
    assert "X-Corvo-Signature" not in headers
    assert (body["event"]["type"], body["event"]["queue"]) == ("enqueued", "q")


def test_each_webhook_gets_the_types_it_asked_for(path, courier, hooks):
    make(path, "wh_all")
    make(path, "wh_started", events=["started", "dead"])
    enqueue(path, count=2)
    path.wait(count=2).result()
    path.settle()
    assert courier.seqs("wh_all") == [1, 2, 3, 4]
    assert courier.seqs("wh_started") == [3, 4]


def test_one_delivery_at_a_time_and_none_before_the_one_before_it(path, courier, hooks):
    make(path)
    courier.hold = True
    enqueue(path, count=5)
    assert courier.seqs() == [1]
    courier.let_go()
    path.settle()
    assert courier.seqs() == [1, 2, 3, 4, 5]


def test_a_slow_receiver_does_not_keep_the_others_waiting(path, courier, hooks):
    make(path, "wh_slow", events=["enqueued"])
    courier.hold = True
    enqueue(path)
    courier.hold = False
    make(path, "wh_fast")
    enqueue(path, count=4)
    assert courier.seqs("wh_slow") == [1]
    assert courier.seqs("wh_fast") == [2, 3, 4, 5]


def test_more_than_waits_in_memory_is_read_from_the_log(path, courier, hooks):
    make(path)
    courier.hold = True
    for _ in range(10):
        enqueue(path, count=WAITING_MAX // 2)
    courier.let_go()
    path.settle()
    assert courier.seqs() == list(range(1, 5 * WAITING_MAX + 1))


def test_a_failed_delivery_is_tried_again_after_longer_and_longer_rests(path, courier, hooks):
    url = make(path, retry_limit=4)
    courier.answers[url] = [BROKEN, BROKEN, BROKEN, OK]
    enqueue(path, count=2)
    attempts = [len(courier.sent)]
    for rest_ms in (200, 800, 1_800):
        path.system.advance(timedelta(milliseconds=rest_ms - 1))
        attempts.append(len(courier.sent))
        path.system.advance(timedelta(milliseconds=1))
        path.settle()
        attempts.append(len(courier.sent))
    assert attempts == [1, 1, 2, 2, 3, 3, 5]
    assert courier.seqs() == [1, 1, 1, 1, 2]
    assert [headers["X-Corvo-Webhook-Attempt"] for _, _, headers, _ in courier.sent] == list("12341")
    assert [headers["X-Corvo-Webhook-Delivery"] for _, _, headers, _ in courier.sent[:4]] == ["wh_1-1"] * 4


def test_an_event_that_fails_too_often_is_given_up_and_noted_and_the_next_one_follows(path, courier, hooks):
    url = make(path, retry_limit=2)
    courier.answers[url] = [BROKEN, BROKEN, OK]
    enqueue(path, count=2)
    path.advance(5)
    assert courier.seqs() == [1, 1, 2]
    webhook = stored(path)
    assert (webhook.cursor, webhook.delivered_total, webhook.failed_total) == (2, 1, 1)
    assert [(d.seq, d.attempts, d.status, d.error) for d in webhook.recent] == [
        (1, 2, 500, "the receiver answered 500"),
        (2, 1, 200, None),
    ]
    assert (webhook.failing_since_ns, webhook.first_failed_seq) == (None, None)


def test_the_cursor_is_saved_for_many_deliveries_at_once(path, courier, hooks):
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


def test_events_that_nobody_wants_are_passed_in_the_store_now_and_then(path, courier, hooks):
    make(path, events=["dead"])
    enqueue(path, count=5)
    path.advance(2)
    assert stored(path).cursor == 0
    path.advance(60)
    assert stored(path).cursor == 5
    assert courier.sent == []


def test_many_events_that_nobody_wants_are_passed_at_once(path, courier):
    start(path, courier, passing_max=100)
    make(path, events=["dead"])
    for _ in range(5):
        enqueue(path, count=30)
    path.advance(2)
    assert stored(path).cursor > 100


def test_after_a_crash_it_goes_on_at_the_cursor_and_misses_nothing(path, courier, hooks):
    make(path)
    enqueue(path, count=3)
    path.advance(2)
    assert stored(path).cursor == 3
    enqueue(path, count=2)
    path.crash(hooks)
    enqueue(path, count=2)
    path.advance(5)
    assert courier.seqs()[:5] == [1, 2, 3, 4, 5]
    # What was delivered and not yet saved comes again, in order; nothing else does.
    assert courier.seqs()[5:] in ([4, 5, 6, 7], [6, 7])
    assert stored(path).cursor == 7


def test_an_answer_to_a_delivery_from_before_a_crash_counts_for_nothing(path, courier, hooks):
    make(path)
    courier.hold = True
    enqueue(path)
    path.crash(hooks)
    path.advance(5)
    assert courier.seqs() == [1, 1]
    courier.let_go()
    path.advance(5)
    assert courier.seqs() == [1, 1]
    assert stored(path).delivered_total == 1


def test_only_the_leader_delivers_and_a_new_one_goes_on_where_the_old_one_was(path, courier, hooks):
    make(path)
    enqueue(path)
    path.advance(2)
    path.system.tell(path.fsm, RoleChanged(Role.FOLLOWER, 2, "n2"))
    path.settle()
    enqueue(path, count=2)
    make(path, "wh_2")
    path.advance(5)
    assert courier.seqs() == [1]
    path.system.tell(path.fsm, RoleChanged(Role.LEADER, 3, "n1"))
    path.settle()
    enqueue(path)
    path.advance(2)
    assert courier.seqs() == [1, 2, 3, 4]
    assert courier.seqs("wh_2") == [4]


def test_a_webhook_that_was_away_for_too_long_is_told_of_the_gap(path, courier, hooks):
    make(path, enabled=False, events=["enqueued"])
    enqueue(path, count=10)
    path.do(TrimEvents(keep=0, at_before_ns=path.clock.now_ns() + 1, limit=100))
    enqueue(path, count=2)
    path.do(SwitchWebhook("wh_1", enabled=True))
    path.advance(2)
    gap = courier.sent[0]
    assert gap[3]["event"] | {"at_ns": 0} == {
        "seq": 10,
        "type": "gap",
        "at_ns": 0,
        "data": {"from": 1, "to": 10},
    }
    assert gap[2]["X-Corvo-Webhook-Event"] == "gap"
    assert courier.seqs() == [10, 11, 12]
    assert stored(path).cursor == 12


def test_rewinding_delivers_again_from_there_and_forgets_what_was_under_way(path, courier, hooks):
    make(path)
    enqueue(path, count=4)
    path.advance(2)
    courier.hold = True
    enqueue(path)
    path.do(RewindWebhook("wh_1", 3))
    path.settle()
    courier.let_go()
    path.advance(2)
    assert courier.seqs() == [1, 2, 3, 4, 5, 3, 4, 5]
    assert stored(path).cursor == 5


def test_switched_off_nothing_is_delivered_and_switched_on_nothing_is_missing(path, courier, hooks):
    make(path)
    enqueue(path)
    path.advance(2)
    path.do(SwitchWebhook("wh_1", enabled=False))
    enqueue(path, count=3)
    path.advance(2)
    assert courier.seqs() == [1]
    path.do(SwitchWebhook("wh_1", enabled=True))
    path.advance(2)
    assert courier.seqs() == [1, 2, 3, 4]
    path.do(SwitchWebhook("wh_1", enabled=False))
    enqueue(path, count=3)
    path.do(SwitchWebhook("wh_1", enabled=True, from_now=True))
    enqueue(path)
    path.advance(2)
    assert courier.seqs() == [1, 2, 3, 4, 8]


def test_a_deleted_webhook_gets_nothing_more(path, courier, hooks):
    url = make(path)
    courier.answers[url] = BROKEN
    enqueue(path, count=3)
    path.do(DeleteWebhook("wh_1"))
    path.advance(10)
    assert courier.seqs() == [1]


def test_failing_for_long_switches_it_off_with_the_reason_and_it_can_be_switched_on_again(path, courier):
    hooks = start(path, courier, disable_after_ns=10 * NS_PER_S)
    url = make(path, retry_limit=1)
    courier.answers[url] = BROKEN
    for _ in range(14):
        enqueue(path)
        path.advance(1)
    webhook = stored(path)
    assert not webhook.enabled
    assert "for 10 s" in webhook.disabled_reason
    assert "answered 500" in webhook.disabled_reason
    assert webhook.first_failed_seq == 1
    given_up = len(courier.sent)
    assert 10 <= given_up < 14
    enqueue(path)
    path.advance(5)
    assert len(courier.sent) == given_up
    courier.answers[url] = OK
    path.do(SwitchWebhook("wh_1", enabled=True))
    path.advance(2)
    # It goes on with the first event that was not tried.
    assert courier.seqs() == list(range(1, 16))
    assert stored(path).enabled
    assert path.system.ask(hooks, GetStatus()).result().figures["failed_total"] == given_up


def test_a_few_failures_far_apart_do_not_switch_it_off(path, courier):
    start(path, courier, disable_after_ns=10 * NS_PER_S)
    url = make(path, retry_limit=1)
    courier.answers[url] = BROKEN
    for number in range(5):
        enqueue(path)
        path.advance(60)
        assert stored(path).enabled == (number < 4)


def test_one_success_ends_the_time_of_failing(path, courier):
    start(path, courier, disable_after_ns=10 * NS_PER_S)
    url = make(path, retry_limit=1)
    for number in range(30):
        courier.answers[url] = OK if number % 8 == 7 else BROKEN
        enqueue(path)
        path.advance(1)
    assert stored(path).enabled


def test_what_could_not_be_saved_is_saved_later(path, courier, hooks):
    make(path)
    enqueue(path, count=2)
    path.consensus.refusal = NotLeader("no")
    path.advance(3)
    assert stored(path).cursor == 0
    path.consensus.refusal = None
    path.advance(3)
    webhook = stored(path)
    assert (webhook.cursor, webhook.delivered_total, len(webhook.recent)) == (2, 2, 2)


def test_no_more_than_so_many_deliveries_are_under_way_and_turns_are_fair(path, courier):
    hooks = start(path, courier, in_flight_max=3)
    for number in range(6):
        make(path, f"wh_{number}")
    courier.hold = True
    enqueue(path, count=2)
    assert len(courier.held) == 3
    busy = path.system.ask(hooks, SendNow(stored(path, "wh_0"), Item(0, "ping"))).result
    with pytest.raises(Overloaded):
        busy()
    courier.let_go()
    path.advance(2)
    for number in range(6):
        assert courier.seqs(f"wh_{number}") == [1, 2]


def test_a_retry_that_finds_no_room_waits_for_it(path, courier):
    start(path, courier, in_flight_max=1)
    broken = make(path, "wh_broken", retry_limit=2)
    make(path, "wh_other")
    courier.answers[broken] = [BROKEN, OK]
    enqueue(path)
    courier.hold = True
    enqueue(path)
    path.advance(1)
    courier.let_go()
    path.advance(3)
    assert courier.seqs("wh_broken") == [1, 1, 2]
    assert courier.seqs("wh_other") == [1, 2]


def test_one_can_be_sent_by_hand_out_of_order(path, courier, hooks):
    make(path, enabled=False)
    receipt = path.system.ask(hooks, SendNow(stored(path), Item(0, "ping"))).result()
    assert receipt.status == 200
    ((_, seq, headers, body),) = courier.sent
    assert (seq, headers["X-Corvo-Webhook-Event"], body["event"]["type"]) == (0, "ping", "ping")


def test_closing_begins_nothing_new_and_saves_at_once(path, courier, hooks):
    make(path)
    enqueue(path, count=2)
    assert isinstance(path.system.ask(hooks, CloseWebhooks()).result(), WebhooksClosed)
    path.settle()
    assert stored(path).cursor == 2
    enqueue(path)
    path.advance(2)
    assert courier.seqs() == [1, 2]


def test_whatever_happens_nothing_is_missing_and_everything_comes_first_in_order(path, courier):
    """Failing receivers, crashes, changes of leader, refused writes, webhooks switched off and on."""
    chance = path.system._random
    hooks = start(path, courier, in_flight_max=2)
    names = [f"wh_{number}" for number in range(4)]
    urls = [make(path, name, retry_limit=100) for name in names]
    for _ in range(70):
        courier.answers = {url: [chance.choice((OK, OK, BROKEN)) for _ in range(3)] for url in urls}
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
    courier.answers = {}
    for name in names:
        path.do(SwitchWebhook(name, enabled=True))
    path.advance(120)
    last = path.machine.state.meta.last_seq
    assert last > 200
    for name in names:
        assert list(dict.fromkeys(courier.seqs(name))) == list(range(1, last + 1))
        assert stored(path, name).cursor == last
        assert stored(path, name).failed_total == 0
