"""Stored answers: the first answer to a request is kept for a day under the client's Idempotency-Key."""

import msgspec

from corvo.core.errors import IdempotencyMismatch
from corvo.core.limits import IDEMPOTENCY_TTL_NS
from corvo.core.namespace import Qualified
from corvo.fsm.entry_tx import EntryTx
from corvo.ops.idempotency import Once
from corvo.ops.results import AnyResult, Result, decode_result, encode_result
from corvo.storage import keys


class StoredAnswer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    digest: bytes
    expires_ns: int
    results: list[bytes]

    def repeat(self, once: Once) -> list[AnyResult]:
        """The stored results, if this is the same request."""
        if self.digest != once.digest:
            raise IdempotencyMismatch("this Idempotency-Key was used for a different request")
        return [decode_result(result) for result in self.results]


_decoder = msgspec.msgpack.Decoder(StoredAnswer)


decode_answer = _decoder.decode


_encode = msgspec.msgpack.Encoder().encode


def recall(tx: EntryTx, once: Once) -> list[AnyResult] | None:
    """What this request was answered the first time; None if it is new, or that answer has expired."""
    stored = tx.kv.get(keys.idempotency(once.key))
    if stored is None:
        return None
    answer = decode_answer(stored)
    if answer.expires_ns <= tx.now_ns:
        forget(tx, answer.expires_ns, once.key)
        return None
    return answer.repeat(once)


def remember(tx: EntryTx, once: Once, results: list[Result]) -> None:
    expires_ns = tx.now_ns + IDEMPOTENCY_TTL_NS
    answer = StoredAnswer(once.digest, expires_ns, [encode_result(result) for result in results])
    tx.kv.put(keys.idempotency(once.key), _encode(answer))
    tx.kv.put(keys.timed(keys.IDEMPOTENCY_EXPIRY, expires_ns, once.key), b"")
    tx.state.due.note(keys.IDEMPOTENCY_EXPIRY, expires_ns)


def forget_key(tx: EntryTx, key: Qualified) -> None:
    """Forget what is stored under this key; it is of no use any more."""
    stored = tx.kv.get(keys.idempotency(key))
    assert stored is not None
    forget(tx, decode_answer(stored).expires_ns, key)


def forget(tx: EntryTx, expires_ns: int, key: Qualified) -> None:
    tx.kv.delete(keys.idempotency(key))
    tx.kv.delete(keys.timed(keys.IDEMPOTENCY_EXPIRY, expires_ns, key))
