"""Between HTTP and the rest: what goes out with a call, and what an answer or a failure means."""

import uuid
from typing import Any, TypeVar, cast

import msgspec

from corvo_sdk import errors
from corvo_sdk.call import Again, Call, decode
from corvo_sdk.errors import AnswerLost, CorvoError, NotTrusted, Unreachable
from corvo_sdk.tls import refusal

T = TypeVar("T")


def headers_of(call: Call[Any]) -> dict[str, str]:
    """The same for every sending of a call: that is what makes the key worth something."""
    if call.again is not Again.KEYED:
        return {}
    return {"idempotency-key": call.key or uuid.uuid4().hex}


def answer_of(call: Call[T], status: int, body: bytes) -> T:
    """What the server said, or the error that it stands for."""
    if 200 <= status < 300:
        if call.returns is bytes:
            return cast("T", body)
        try:
            return decode(body, call.returns)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise CorvoError(f"cannot read the answer to {call.method} {call.path}: {error}") from error
    raise error_of(status, body)


def error_of(status: int, body: bytes) -> CorvoError:
    try:
        facts = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.MsgspecError:
        facts = {"error": f"the server answered {status}: {body[:200].decode(errors='replace')}"}
    return errors.of(status, facts)


# Requests without an answer


def unreachable(url: str, error: Exception) -> Unreachable:
    """Nothing was sent."""
    return mistrusted(url, error) or Unreachable(f"cannot reach {url}: {_said(error)}")


def lost(url: str, error: Exception) -> AnswerLost | NotTrusted:
    """Something was, and nobody knows what came of it; unless it was sent into a handshake that failed."""
    return mistrusted(url, error) or AnswerLost(f"no answer from {url}: {_said(error)}")


def mistrusted(url: str, error: BaseException | None) -> NotTrusted | None:
    """One side does not trust the other. Libraries wrap such an error in their own."""
    while error is not None:
        sentence = refusal(error)
        if sentence is not None:
            return NotTrusted(f"cannot reach {url}: {sentence}")
        error = error.__cause__ or error.__context__
    return None


def _said(error: Exception) -> str:
    return str(error) or ("timed out" if isinstance(error, TimeoutError) else type(error).__name__)
