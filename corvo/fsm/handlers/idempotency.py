"""Requests that may be repeated: the first answer is kept for a day under the client's key."""

import msgspec

from corvo.core.errors import IdempotencyMismatch
from corvo.core.limits import IDEMPOTENCY_TTL_NS
from corvo.fsm.entry_tx import Turn
from corvo.fsm.registry import applies
from corvo.ops.idempotency import Once, Report
from corvo.ops.results import AnyResult, Result, decode_result, encode_result
from corvo.storage import keys


class Answer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    digest: bytes
    expires_ns: int
    results: list[bytes]

    def repeat(self, once: Once) -> list[AnyResult]:
        """The same answer again, if it is the same request."""
        if self.digest != once.digest:
            raise IdempotencyMismatch("this Idempotency-Key was used for a different request")
        return [decode_result(result) for result in self.results]


_decoder = msgspec.msgpack.Decoder(Answer)
decode_answer = _decoder.decode
_encode = msgspec.msgpack.Encoder().encode


def recall(turn: Turn, once: Once) -> list[AnyResult] | None:
    """What this request was answered the first time, if there was a first time."""
    stored = turn.tx.get(keys.idempotency(once.key))
    if stored is None:
        return None
    answer = decode_answer(stored)
    if answer.expires_ns <= turn.now_ns:
        forget(turn, answer.expires_ns, once.key)
        return None
    return answer.repeat(once)


@applies(Report)
def report(op: Report, turn: Turn) -> AnyResult:  # noqa: ARG001 - every handler takes a turn
    return decode_result(op.result)


def remember(turn: Turn, once: Once, results: list[Result]) -> None:
    expires_ns = turn.now_ns + IDEMPOTENCY_TTL_NS
    answer = Answer(once.digest, expires_ns, [encode_result(result) for result in results])
    turn.tx.put(keys.idempotency(once.key), _encode(answer))
    turn.tx.put(keys.timed(keys.IDEMPOTENCY_EXPIRY, expires_ns, once.key), b"")
    turn.state.due.note(keys.IDEMPOTENCY_EXPIRY, expires_ns)


def forget_key(turn: Turn, key: str) -> None:
    """What is remembered under it is of no use any more."""
    stored = turn.tx.get(keys.idempotency(key))
    assert stored is not None
    forget(turn, decode_answer(stored).expires_ns, key)


def forget(turn: Turn, expires_ns: int, key: str) -> None:
    turn.tx.delete(keys.idempotency(key))
    turn.tx.delete(keys.timed(keys.IDEMPOTENCY_EXPIRY, expires_ns, key))
