"""Throttle: how many jobs a queue may hand out within any window: exact, also inside one entry.

The rules for users are in docs/reference/limits.md.

The times of past claims are kept as far back as the window reaches: in memory for the count, and as keys for
the next start. There are never more of them than the rate allows.
"""

from corvo.core.clock import NS_PER_MS
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.state import QueueState
from corvo.storage import keys


def note_claim(tx: EntryTx, queue: QueueState) -> None:
    """A job of this queue was handed out."""
    doc = queue.doc
    if doc.rate_limit is None:
        return
    assert doc.rate_window_ms is not None
    _drop(tx, queue, tx.now_ns - doc.rate_window_ms * NS_PER_MS)
    number = queue.claims[-1][1] + 1 if queue.claims and queue.claims[-1][0] == tx.now_ns else 0
    queue.claims.append((tx.now_ns, number))
    tx.kv.put(keys.rate(doc.name, tx.now_ns, number), b"")


def forget_all(tx: EntryTx, queue: QueueState) -> None:
    """The queue is no longer throttled."""
    _drop(tx, queue, tx.now_ns)


def _drop(tx: EntryTx, queue: QueueState, until_ns: int) -> None:
    """Claims up to this time are out of the window."""
    claims = queue.claims
    while claims and claims[0][0] <= until_ns:
        tx.kv.delete(keys.rate(queue.doc.name, *claims.popleft()))
