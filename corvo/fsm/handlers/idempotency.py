"""Idempotency: the outcome of a request that took several entries, kept under its key like any answer."""

from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.ops.idempotency import Report
from corvo.ops.results import AnyResult, decode_result


@applies(Report)
def report(op: Report, tx: EntryTx) -> AnyResult:  # noqa: ARG001 - every handler takes a transaction
    return decode_result(op.result)
