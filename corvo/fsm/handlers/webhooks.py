"""Webhooks: their settings and how far each has come. Delivering is done by an actor on the leader."""

from msgspec.structs import replace

from corvo.core.errors import NotFound, WebhookRefused
from corvo.core.limits import WEBHOOKS_MAX
from corvo.core.namespace import Qualified, Reach, name_of, namespace_of
from corvo.core.webhook import RECENT_MAX, Webhook, decode_webhook, encode_webhook
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import quotas, removal
from corvo.ops.results import Upkept, WebhookChanged
from corvo.ops.webhooks import (
    Advance,
    AdvanceWebhooks,
    DeleteWebhook,
    RewindWebhook,
    SetWebhook,
    SwitchWebhook,
)
from corvo.storage import keys


@applies(SetWebhook)
def set_webhook(op: SetWebhook, tx: EntryTx) -> WebhookChanged:
    known = _find(tx, op.webhook_id)
    namespace = namespace_of(op.webhook_id)
    if (op.reach or Reach()).namespace != namespace:
        raise WebhookRefused("a webhook hears of the namespace it belongs to, and of no other")
    quotas.guarded(tx, namespace)
    if known is None:
        if _count(tx) >= WEBHOOKS_MAX:
            raise WebhookRefused(f"there are {WEBHOOKS_MAX} webhooks already, which is the most there may be")
        made = Webhook(
            id=op.webhook_id,
            url=op.url,
            events=op.events,
            secret=op.secret or None,
            enabled=op.enabled,
            retry_limit=op.retry_limit,
            created_ns=tx.now_ns,
            epoch=tx.index,
            cursor=tx.last_seq,
            reach=op.reach,
        )
        return _store(tx, made)
    changed = replace(
        known,
        url=op.url,
        events=op.events,
        secret=known.secret if op.secret is None else op.secret or None,
        retry_limit=op.retry_limit,
        reach=op.reach,
    )
    return _store(tx, _switched(tx, changed, enabled=op.enabled))


@applies(SwitchWebhook)
def switch(op: SwitchWebhook, tx: EntryTx) -> WebhookChanged:
    webhook = _switched(tx, _existing(tx, op.webhook_id), enabled=op.enabled)
    return _store(tx, replace(webhook, cursor=tx.last_seq) if op.from_now else webhook)


@applies(RewindWebhook)
def rewind(op: RewindWebhook, tx: EntryTx) -> WebhookChanged:
    webhook = _existing(tx, op.webhook_id)
    cursor = min(max(0, op.from_seq - 1), tx.last_seq)
    return _store(tx, replace(webhook, epoch=tx.index, cursor=cursor))


@applies(DeleteWebhook)
def delete(op: DeleteWebhook, tx: EntryTx) -> WebhookChanged:
    webhook = _existing(tx, op.webhook_id)
    removal.remove_webhook(tx, webhook.id)
    return WebhookChanged(webhook.id)


@applies(AdvanceWebhooks)
def advance(op: AdvanceWebhooks, tx: EntryTx) -> Upkept:
    """News from before a change, or of a webhook that is gone, is dropped: better sent twice than never."""
    count = 0
    for news in op.advances:
        webhook = _find(tx, news.webhook_id)
        if webhook is not None and webhook.epoch == news.epoch:
            _store(tx, _advanced(tx, webhook, news))
            count += 1
    return Upkept(count, more=False)


def _advanced(tx: EntryTx, webhook: Webhook, news: Advance) -> Webhook:
    advanced = replace(
        webhook,
        cursor=min(max(webhook.cursor, news.cursor), tx.last_seq),
        delivered_total=webhook.delivered_total + news.delivered,
        failed_total=webhook.failed_total + news.failed,
        recent=(webhook.recent + news.recent)[-RECENT_MAX:],
        failing_since_ns=news.failing_since_ns,
        first_failed_seq=news.first_failed_seq,
        failed_in_a_row=news.failed_in_a_row,
    )
    if news.disable is None:
        return advanced
    return replace(advanced, enabled=False, disabled_reason=news.disable, epoch=tx.index)


def _switched(tx: EntryTx, webhook: Webhook, *, enabled: bool) -> Webhook:
    """A client has set or switched the webhook, so its time of failing starts anew, too."""
    return replace(
        webhook,
        enabled=enabled,
        epoch=tx.index,
        disabled_reason=None,
        failing_since_ns=None,
        failed_in_a_row=0,
    )


def _find(tx: EntryTx, webhook_id: Qualified) -> Webhook | None:
    stored = tx.kv.get(keys.webhook(webhook_id))
    return None if stored is None else decode_webhook(stored)


def _existing(tx: EntryTx, webhook_id: Qualified) -> Webhook:
    webhook = _find(tx, webhook_id)
    if webhook is None:
        raise NotFound(f"webhook {name_of(webhook_id)} does not exist")
    return webhook


def _count(tx: EntryTx) -> int:
    return sum(1 for _ in tx.kv.scan(keys.WEBHOOK, keys.after(keys.WEBHOOK)))


def _store(tx: EntryTx, webhook: Webhook) -> WebhookChanged:
    tx.kv.put(keys.webhook(webhook.id), encode_webhook(webhook))
    tx.webhooks[webhook.id] = webhook
    return WebhookChanged(webhook.id)
