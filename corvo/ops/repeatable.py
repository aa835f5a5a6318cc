"""Repeatable writes: which may be sent a second time when it is unknown whether the first was done."""

from typing import Final

from corvo.ops.audit import ExtendAudit, WriteAudit
from corvo.ops.base import Op
from corvo.ops.finish import Ack, Fail
from corvo.ops.idempotency import Once
from corvo.ops.lease import Heartbeat, Release

#: Ops that give a lease token back.
_VERDICTS: Final = frozenset({Ack, Fail, Release})

_RECORDS: Final = frozenset({WriteAudit, ExtendAudit})


def may_be_repeated(ops: tuple[Op, ...]) -> bool:
    """Whether doing them twice comes to the same as doing them once."""
    covered = 0
    for op in ops:
        kind = type(op)
        if kind is Once:
            # Its client gave a key, so the second answer is the first one again.
            covered = op.count  # type: ignore[attr-defined]  # it is one
        elif covered:
            covered -= 1
        elif kind in _VERDICTS:
            # A lease token is good for one verdict; the second gets the answer of the first.
            if op.token is None:  # type: ignore[attr-defined]  # all of them have one
                return False
        elif kind in _RECORDS and len(ops) > 1:
            # It is written down with what it is about, or not at all.
            continue
        elif kind is not Heartbeat:
            return False
    return True
