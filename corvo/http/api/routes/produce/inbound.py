"""Webhooks in: whatever another system posts becomes a job."""

import msgspec
from msgspec import Raw

from corvo.core.errors import ParseError, PayloadTooLarge, ValidationFailed
from corvo.core.limits import INBOUND_BODY_BYTES_MAX
from corvo.core.priority import LABELS
from corvo.http.api.routes.produce.enqueue import enqueue_one
from corvo.http.api.routes.writing import QUOTA_ERRORS, WRITE_ERRORS
from corvo.http.api.schema import enqueue as schema
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.readable_numbers import check_numbers
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent
from corvo.http.wire.message import Request

_encode = msgspec.json.Encoder().encode
_any_json = msgspec.json.Decoder(Raw)


@route(
    "POST /api/v1/webhooks/{name}",
    needs="enqueue:write",
    returns=schema.EnqueueResponse,
    status=201,
    also=(200,),
    errors=(*WRITE_ERRORS, *QUOTA_ERRORS),
    tag="Producers",
    query={
        "priority": f"One of {', '.join(LABELS)}.",
        "unique_key": "Only one job with this key at a time.",
        "max_retries": "Attempts in total.",
        "scheduled_at": "Not before this time (RFC 3339).",
        "tags": "Pairs such as source:github,kind:push.",
    },
)
def inbound(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Add a job to the queue of this name; the body, of any kind, is its payload.

    JSON is taken as it is, no body is an empty object, and other text becomes a string. A sender that
    repeats itself does no harm if its delivery id is sent as `Idempotency-Key`, or used as `unique_key`.
    """
    if len(request.body) > INBOUND_BODY_BYTES_MAX:
        raise PayloadTooLarge(
            f"the body has {len(request.body)} bytes; at most {INBOUND_BODY_BYTES_MAX} are accepted"
        )
    return enqueue_one(request, ctx, _job(request))


def _job(request: Request) -> schema.EnqueueRequest:
    given = {
        "queue": request.params["name"],
        "priority": _priority(request.query.get("priority")),
        "unique_key": request.query.get("unique_key"),
        "max_retries": _whole_number(request, "max_retries"),
        "scheduled_at": request.query.get("scheduled_at") or None,
        "tags": _tags(request.query.get("tags", "")),
    }
    try:
        # The limits of the fields are types; converting checks them.
        job = msgspec.convert(given, schema.EnqueueRequest)
    except msgspec.ValidationError as error:
        raise ValidationFailed(str(error)) from None
    job.payload = Raw(_payload(request.body))
    return job


def _payload(body: bytes) -> bytes:
    if not body.strip():
        return b"{}"
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise ParseError("the body is neither JSON nor UTF-8 text") from None
    try:
        _any_json.decode(body)
        check_numbers(body, "payload")
    except (msgspec.DecodeError, ValidationFailed):
        return _encode(text)
    except RecursionError:
        raise ParseError("the body is nested too deeply") from None
    return body


def _priority(text: str | None) -> str | int | None:
    """A name, or its number; in a query both are text."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) == 1 else text


def _whole_number(request: Request, name: str) -> int | None:
    text = request.query.get(name)
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise ValidationFailed(f"{name}: {text[:40]!r} is not a whole number") from None


def _tags(text: str) -> dict[str, str] | None:
    tags: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        key, colon, value = pair.partition(":")
        if not colon or not key.strip():
            raise ValidationFailed(f"tags: {pair[:40]!r} is not a pair such as source:github")
        tags[key.strip()] = value.strip()
    return tags or None
