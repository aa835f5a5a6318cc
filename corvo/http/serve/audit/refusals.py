"""Refusals: requests that were refused before they came to the log go on record, but cannot flood it.

The first refusal of a kind (who, which route, which error) is recorded at once, further ones within a minute
are counted and recorded as one. A client without a credential is never recorded: whoever can reach the port
could write to the disk of every node otherwise.
"""

from asyncio import AbstractEventLoop
from collections.abc import Callable
from typing import Final

import structlog

from corvo.core.access.principal import NOBODY
from corvo.core.errors import CorvoError, Overloaded, RateLimited
from corvo.http.serve.audit.note import AuditNote
from corvo.http.serve.route import Route
from corvo.http.wire.message import Request
from corvo.ops.audit import WriteAudit
from corvo.ops.base import Op

log = structlog.get_logger()

_WINDOW_S: Final = 60.0
#: Kinds of refusals that are told apart within a minute; others are only logged.
_KINDS_MAX: Final = 1_000

_Kind = tuple[str, str, Route, str]


class Refusals:
    def __init__(self, loop: AbstractEventLoop, put: Callable[[Op], None]) -> None:
        self._loop = loop
        self._put = put
        #: How many there were after the first, as the record of the last of them.
        self._counted: dict[_Kind, WriteAudit | None] = {}
        self._is_over_full = False

    def note(self, route: Route, request: Request, note: AuditNote, error: CorvoError) -> None:
        if not is_noteworthy(request, error):
            return
        kind = (request.principal.name, request.namespace, route, error.code)
        if kind in self._counted:
            counted = self._counted[kind]
            times = 1 if counted is None else counted.times + 1
            self._counted[kind] = note.refused(error.status, error.code, times)
            return
        if len(self._counted) >= _KINDS_MAX:
            if not self._is_over_full:
                log.warning("audit.refusals_left_out", kinds=_KINDS_MAX, within_s=_WINDOW_S)
            self._is_over_full = True
            return
        self._counted[kind] = None
        self._loop.call_later(_WINDOW_S, self._sum_up, kind)
        self._put(note.refused(error.status, error.code))

    def _sum_up(self, kind: _Kind) -> None:
        counted = self._counted.pop(kind)
        self._is_over_full = False
        if counted is not None:
            self._put(counted)


def is_noteworthy(request: Request, error: CorvoError) -> bool:
    """Whether a known client was told that it may not, or that it asked for something impossible. That the
    server is busy is not about the client."""
    return (
        request.principal is not NOBODY
        and 400 <= error.status < 500
        and not isinstance(error, RateLimited | Overloaded)
    )
