"""Write intent: a write in two halves, what a request wants written and what to tell its client then.

    request --handler--> ops ~~> batcher ... fsm ~~> outcomes --answer--> response

Between the two the request waits for the log and for nothing else. So it needs no task of its own to wait in:
the reader of the request keeps the intent and goes on to the next request.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from corvo.core.errors import CorvoError
from corvo.http.wire.message import REPLAYED, Response
from corvo.ops.base import Op
from corvo.ops.results import Outcome


class Written(msgspec.Struct, frozen=True):
    """What became of a request's ops."""

    index: int
    outcomes: list[Outcome]
    #: Answered from memory, because the request was a repetition.
    replayed: bool

    @property
    def result(self) -> Any:
        """The result of the only op. If it was refused, that is raised."""
        (outcome,) = self.outcomes
        if isinstance(outcome, CorvoError):
            outcome.replayed = self.replayed
            raise outcome
        return outcome

    def check(self) -> None:
        """If the only op was refused, that is raised."""
        _ = self.result

    def response(self, status: int, body: bytes) -> Response:
        headers = [REPLAYED] if self.replayed else []
        return Response(status, body, index=self.index or None, headers=headers)


class WriteIntent(msgspec.Struct, frozen=True):
    ops: tuple[Op, ...]
    #: About how large they are.
    size_bytes: int
    #: May raise what the client is to be told instead.
    answer: Callable[[Written], Response | Awaitable[Response]]
    #: Whether the answer has to be awaited, because it takes more than the log.
    waits: bool = False
