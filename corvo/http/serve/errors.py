"""Errors as responses: the one place that knows both exceptions and HTTP."""

import msgspec
import structlog

from corvo.actors.kernel.api import ActorCrashed, ActorStopped, MailboxFull
from corvo.core.errors import CorvoError, OutcomeUnknown, Overloaded, ShuttingDown
from corvo.http.wire.message import REPLAYED, Response

log = structlog.get_logger()

_encode = msgspec.json.Encoder().encode


def response_of(error: Exception, request_id: str) -> Response:
    """What a client gets to see of a failure."""
    what = known(error, request_id)
    body = {"error": what.message, "code": what.code, "hint": what.hint(), "request_id": request_id}
    response = Response(what.status, _encode(body | what.facts))
    retry_after_ms = what.facts.get("retry_after_ms")
    if retry_after_ms is not None:
        response.headers = [(b"retry-after", _seconds(retry_after_ms))]
    if what.replayed:
        response.headers = [*response.headers, REPLAYED]
    return response


def _seconds(milliseconds: int) -> bytes:
    """Whole seconds without a fraction, as HTTP wants them: urllib3 raises InvalidHeader for `1.000`."""
    seconds, rest = divmod(milliseconds, 1_000)
    return b"%.3f" % (milliseconds / 1_000) if rest else b"%d" % seconds


def known(error: Exception, request_id: str) -> CorvoError:
    """The failure as one that has a code."""
    match error:
        case CorvoError():
            return error
        case MailboxFull():
            return Overloaded("too many requests are waiting", retry_after_ms=5)
        case ActorStopped():
            return ShuttingDown("the node is stopping", retry_after_ms=1_000)
        case ActorCrashed():
            # Its supervisor has restarted it; what became of the request is known from the log, if at all.
            log.error("request.actor_crashed", request_id=request_id, actor=error.actor)
            return OutcomeUnknown("a part of the server failed over this request", retry_after_ms=500)
        case _:
            # The details go to the log, never to the client.
            log.error("request.failed", request_id=request_id, exc_info=error)
            return CorvoError("internal error")
