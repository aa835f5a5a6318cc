"""Which writes may be sent a second time when nobody knows whether the first was done."""

from corvo.ops.base import Op
from corvo.ops.finish import Ack, Fail
from corvo.ops.lease import Heartbeat, Release
from corvo.ops.once import Once


def may_be_repeated(ops: tuple[Op, ...]) -> bool:
    """Whether doing them twice comes to the same as doing them once."""
    covered = 0
    for op in ops:
        if type(op) is Once:
            # Its client gave a key, so the second answer is the first one again.
            covered = op.count
        elif covered:
            covered -= 1
        elif not _is_harmless(op):
            return False
    return True


def _is_harmless(op: Op) -> bool:
    if isinstance(op, Ack | Fail | Release):
        # A lease token is good for one verdict; the second gets the answer of the first.
        return op.token is not None
    return isinstance(op, Heartbeat)
