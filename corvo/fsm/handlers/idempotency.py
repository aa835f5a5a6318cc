"""What a request that took several entries came to in all; kept under its key like any other answer."""

from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.ops.idempotency import Report
from corvo.ops.results import AnyResult, decode_result


@applies(Report)
def report(op: Report, tx: EntryTx) -> AnyResult:  # noqa: ARG001 - every handler takes a turn
    return decode_result(op.result)
