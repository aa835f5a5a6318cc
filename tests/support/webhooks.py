"""Webhooks in virtual time, and receivers that do as they are told."""

import json

from corvo.actors.webhooks.dispatcher import WebhookDispatcher, WebhookSettings
from corvo.actors.webhooks.messages import Posted, Receipt
from corvo.core.webhook import decode_webhook
from corvo.http.api.schema.webhooks import pack
from corvo.ops.enqueue import Enqueue
from corvo.ops.webhooks import SetWebhook
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

    def post(self, post, reply_to, tag):
        body = json.loads(post.body)
        self.sent.append((body["webhook_id"], body["event"]["seq"], dict(post.headers), body))
        if self.hold:
            self.held.append((post, reply_to, tag))
        else:
            self._answer(post, reply_to, tag)

    def let_go(self):
        held, self.held = self.held, []
        self.hold = False
        for each in held:
            self._answer(*each)

    def _answer(self, post, reply_to, tag):
        planned = self.answers.get(post.url, OK)
        receipt = planned.pop(0) if isinstance(planned, list) and planned else planned
        self._system.tell(reply_to, Posted(tag, receipt or OK))

    def seqs(self, webhook_id="wh_1"):
        return [seq for name, seq, _, _ in self.sent if name == webhook_id]


def start(path, sender, **settings):
    hooks = path.system.createActor(
        WebhookDispatcher, path.batcher, path.fsm, sender, pack, WebhookSettings(**settings), path.clock
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
