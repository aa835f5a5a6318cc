"""Webhooks out: addresses that are told what happens."""

from functools import partial

import msgspec

from corvo.actors.events.messages import EventsFound, ReadEvents
from corvo.actors.webhooks.messages import (
    DeliveryItem,
    FindWebhook,
    ListWebhooks,
    Receipt,
    SendNow,
    WebhookFound,
    WebhooksListed,
)
from corvo.core.errors import (
    Forbidden,
    NotFound,
    Overloaded,
    ParseError,
    Stale,
    ValidationFailed,
    WebhookRefused,
)
from corvo.core.limits import WEBHOOKS_MAX
from corvo.core.namespace import ANYWHERE, Qualified, includes, name_of, qualified
from corvo.core.webhook import Webhook
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema.webhooks import (
    DeliveriesBody,
    EnableRequest,
    RedeliverRequest,
    SentBody,
    WebhookBody,
    WebhookDone,
    WebhookRequest,
    delivery_body,
    sent_body,
    set_webhook,
    webhook_body,
)
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.redaction import PAYLOAD_READ
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.results import WebhookChanged
from corvo.ops.webhooks import DeleteWebhook, RewindWebhook, SetWebhook, SwitchWebhook

_encode = msgspec.json.Encoder().encode
_SETTINGS_BYTES = 4_096

Setting = SetWebhook | DeleteWebhook | SwitchWebhook


@route(
    "GET /api/v1/webhooks",
    needs="webhooks:read",
    returns=list[WebhookBody],
    errors=(ValidationFailed, Stale),
    tag="Webhooks",
    query={
        "limit": "At most so many; all there are if not given.",
        "after": "Only those after the webhook with this id, for the next page.",
    },
)
async def list_webhooks(request: Request, ctx: EdgeContext) -> Response:
    """All webhooks, oldest first. Their secrets are not shown."""
    await ctx.await_index(request)
    listed: WebhooksListed = await ctx.ask(ctx.actors.fsm, ListWebhooks(request.reach))
    webhooks = listed.webhooks
    after = request.query.get("after")
    if after:
        places = [place for place, webhook in enumerate(webhooks) if name_of(webhook.id) == after]
        if not places:
            raise ValidationFailed(f"after: there is no webhook {after[:64]!r}")
        webhooks = webhooks[places[0] + 1 :]
    limit = request.int_query("limit", WEBHOOKS_MAX, least=1, most=WEBHOOKS_MAX)
    return Response(200, _encode([webhook_body(webhook) for webhook in webhooks[:limit]]))


@route(
    "POST /api/v1/webhooks",
    needs="webhooks:write",
    body=WebhookRequest,
    returns=WebhookDone,
    errors=(*WRITE_ERRORS, WebhookRefused, Forbidden),
    tag="Webhooks",
)
async def put_webhook(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Make a webhook, or change the one with this id. A new one starts with the next event."""
    # A webhook is told what happens, errors and progress included.
    ctx.access.may(request, PAYLOAD_READ)
    body = decode(request, WebhookRequest)
    webhook_id = qualified(request.namespace, body.id or ctx.ids.new("wh"))
    op = set_webhook(body, webhook_id, request.reach, allow_private=ctx.config.webhook_allow_private)
    return await _change(request, ctx, op, "ok")


@route(
    "GET /api/v1/webhooks/{name}",
    needs="webhooks:read",
    returns=WebhookBody,
    errors=(NotFound, Stale),
    tag="Webhooks",
)
async def get_webhook(request: Request, ctx: EdgeContext) -> Response:
    """One webhook, by its id: its settings, how far it has come and how it is doing."""
    return Response(200, _encode(webhook_body(await _find(request, ctx))))


@route(
    "DELETE /api/v1/webhooks/{name}",
    needs="webhooks:write",
    returns=WebhookDone,
    errors=(*WRITE_ERRORS, NotFound, Forbidden),
    tag="Webhooks",
)
async def delete_webhook(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Delete a webhook, by its id. A delivery that is under way may still arrive."""
    return await _change(request, ctx, DeleteWebhook(_id(request)), "deleted")


@route(
    "POST /api/v1/webhooks/{name}/enable",
    needs="webhooks:write",
    body=EnableRequest,
    returns=WebhookDone,
    errors=(*WRITE_ERRORS, NotFound, Forbidden),
    tag="Webhooks",
)
async def enable_webhook(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Switch a webhook on: it goes on where it stopped, or with `from: now` with the next event."""
    body = decode(request, EnableRequest)
    op = SwitchWebhook(_id(request), enabled=True, from_now=body.start == "now")
    return await _change(request, ctx, op, "enabled")


@route(
    "POST /api/v1/webhooks/{name}/disable",
    needs="webhooks:write",
    returns=WebhookDone,
    errors=(*WRITE_ERRORS, NotFound, Forbidden),
    tag="Webhooks",
)
async def disable_webhook(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Switch a webhook off. It keeps its place."""
    return await _change(request, ctx, SwitchWebhook(_id(request), enabled=False), "disabled")


@route(
    "GET /api/v1/webhooks/{name}/deliveries",
    needs="webhooks:read",
    returns=DeliveriesBody,
    errors=(NotFound, Stale),
    tag="Webhooks",
)
async def deliveries(request: Request, ctx: EdgeContext) -> Response:
    """The latest deliveries of a webhook, oldest first: delivered, or given up and why."""
    webhook = await _find(request, ctx)
    return Response(200, _encode(DeliveriesBody([delivery_body(each) for each in webhook.recent])))


@route(
    "POST /api/v1/webhooks/{name}/redeliver",
    needs="webhooks:write",
    body=RedeliverRequest,
    returns=SentBody,
    errors=(*WRITE_ERRORS, NotFound, WebhookRefused, Forbidden),
    tag="Webhooks",
)
async def redeliver(request: Request, ctx: EdgeContext) -> WriteIntent | Response:
    """Deliver again: the event `seq` now, whatever its type, or everything from `from_seq` on in order."""
    body = decode(request, RedeliverRequest)
    if (body.seq is None) == (body.from_seq is None):
        raise WebhookRefused("give either seq, for one event, or from_seq, for all from there on")
    webhook_id = _id(request)
    if body.from_seq is not None:
        await _check_power(request, ctx, webhook_id)
        op = RewindWebhook(webhook_id, body.from_seq)
        return WriteIntent((op,), OP_OVERHEAD_BYTES, partial(_rewound, body.from_seq))
    assert body.seq is not None
    webhook = await _find(request, ctx)
    found: EventsFound = await ctx.ask(ctx.actors.fsm, ReadEvents(body.seq - 1, 1, reach=webhook.reach))
    if not found.events or found.events[0].seq != body.seq:
        raise NotFound(f"event {body.seq} is not in the log; it holds {found.first_seq} to {found.last_seq}")
    event = found.events[0]
    return await _send(ctx, webhook, DeliveryItem(event.seq, event.event.type.label, event))


@route(
    "POST /api/v1/webhooks/{name}/test",
    needs="webhooks:write",
    returns=SentBody,
    errors=(NotFound, Stale, Overloaded, ParseError),
    tag="Webhooks",
)
async def test_webhook(request: Request, ctx: EdgeContext) -> Response:
    """Send a `ping` to a webhook and say what became of it."""
    return await _send(ctx, await _find(request, ctx), DeliveryItem(0, "ping"))


async def _change(request: Request, ctx: EdgeContext, op: Setting, status: str) -> WriteIntent:
    await _check_power(request, ctx, op.webhook_id)
    return WriteIntent((op,), _SETTINGS_BYTES, partial(_changed, status))


async def _check_power(request: Request, ctx: EdgeContext, webhook_id: Qualified) -> None:
    """A client that may touch some queues only may not change a webhook that hears of others, too."""
    if request.reach is None or not request.reach.scope:
        return
    try:
        found: WebhookFound = await ctx.ask(ctx.actors.fsm, FindWebhook(webhook_id, ANYWHERE))
    except NotFound:
        return  # What becomes of it then is for the state machine to say.
    if not includes(request.reach, found.webhook.reach):
        raise Forbidden(f"webhook {name_of(webhook_id)} hears of queues that are not within your scope")


def _id(request: Request) -> Qualified:
    """The webhook of this name in the client's namespace."""
    return qualified(request.namespace, request.params["name"])


def _changed(status: str, written: Written) -> Response:
    changed = written.result
    assert isinstance(changed, WebhookChanged)
    return written.response(200, _encode(WebhookDone(status, name_of(changed.webhook_id))))


async def _find(request: Request, ctx: EdgeContext) -> Webhook:
    await ctx.await_index(request)
    found: WebhookFound = await ctx.ask(ctx.actors.fsm, FindWebhook(_id(request), request.reach))
    return found.webhook


def _rewound(from_seq: int, written: Written) -> Response:
    written.check()
    return written.response(200, _encode(SentBody("rewound", from_seq=from_seq)))


async def _send(ctx: EdgeContext, webhook: Webhook, item: DeliveryItem) -> Response:
    wait_ms = ctx.config.webhook_timeout + 1_000
    receipt: Receipt = await ctx.ask_patiently(ctx.actors.webhooks, SendNow(webhook, item), wait_ms)
    return Response(200, _encode(sent_body(receipt)))
