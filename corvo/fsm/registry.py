"""Registry: which function applies which op. Closed at start: every op in the log has exactly one handler."""

from collections.abc import Callable
from typing import Any, TypeVar

from corvo.fsm.entry_tx import EntryTx
from corvo.ops.base import BY_NUMBER, Op
from corvo.ops.idempotency import Once
from corvo.ops.results import Result

AnyHandler = TypeVar("AnyHandler", bound=Callable[..., Result])

HANDLERS: dict[type[Op], Callable[[Any, EntryTx], Result]] = {}


def applies(op_type: type[Op]) -> Callable[[AnyHandler], AnyHandler]:
    """Register the decorated function as the handler of this op."""

    def enter(handler: AnyHandler) -> AnyHandler:
        assert op_type not in HANDLERS, f"{op_type.__name__} has a handler already"
        HANDLERS[op_type] = handler
        return handler

    return enter


def assert_closed() -> None:
    # Once is not applied but obeyed: it says what becomes of the ops that follow it.
    missing = [op.__name__ for op in BY_NUMBER.values() if op not in HANDLERS and op is not Once]
    assert not missing, f"ops without a handler: {missing}"
