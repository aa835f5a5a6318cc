"""Audit note: what one request puts on record. Made for each request of a route that is audited.

    handler --ops--> [note] --ops and WriteAudit--> batcher

The record is in the entry of the change, so neither is ever there without the other. A request that takes
several entries is on record from the first, because it may be cut off between them; the others add to it.
"""

import re
from typing import Any, Final

from corvo.core.access.audit import AuditPlace
from corvo.core.access.permissions import CLUSTER_WIDE
from corvo.core.limits import AUDIT_TEXT_CHARS_MAX, REQUEST_ID_CHARS_MAX
from corvo.core.namespace import ALL
from corvo.http.serve.audit.client_address import Networks, client_address
from corvo.http.serve.audit.facts import facts_of
from corvo.http.serve.route import Route
from corvo.http.serve.write_intent import Written
from corvo.http.wire.message import Request
from corvo.ops.audit import ExtendAudit, WriteAudit
from corvo.ops.base import Op
from corvo.ops.results import Recorded

#: About how large a record is.
RECORD_BYTES: Final = 512
_SANE_ID: Final = re.compile(rf"[!-~]{{1,{REQUEST_ID_CHARS_MAX}}}")


class AuditNote:
    """Of one request."""

    __slots__ = (
        "_place",
        "_proxies",
        "_request",
        "_route",
        "is_handed_in",
        "namespace",
        "request_id",
        "status",
    )

    def __init__(self, route: Route, request: Request, request_id: str, proxies: Networks) -> None:
        self._route = route
        self._request = request
        self.request_id = request_id
        self._proxies = proxies
        #: Where the record is, once it is known to be written.
        self._place: AuditPlace | None = None
        #: Whether a record is on its way, or none is wanted.
        self.is_handed_in = False
        #: What the client is answered if all goes well.
        self.status = route.status
        #: Set by handlers of what belongs to another namespace than the request's.
        self.namespace: str | None = None

    def leave_out(self) -> None:
        """This request changes nothing after all."""
        self.is_handed_in = True

    def op(self, ops: tuple[Op, ...]) -> WriteAudit | ExtendAudit:
        """What is to stand right behind the ops of the request."""
        self.is_handed_in = True
        if self._place is not None:
            return ExtendAudit(self._place, len(ops), self.status)
        return self._record(facts_of(ops), len(ops), self.status)

    def alone(self, status: int) -> WriteAudit | ExtendAudit:
        """For a request that has no ops: what came of it, 0 if that is not known yet."""
        self.is_handed_in = True
        if self._place is not None:
            return ExtendAudit(self._place, 0, status)
        return self._record({}, 0, status)

    def refused(self, status: int, code: str, times: int = 1) -> WriteAudit:
        """For a request that was refused before it came to any ops."""
        self.is_handed_in = True
        return self._record({}, 0, status, code, times)

    def failed(self, status: int, code: str) -> ExtendAudit | None:
        """For a request that was put on record before it was tried."""
        return None if self._place is None else ExtendAudit(self._place, 0, status, code)

    def heard(self, written: Written) -> Written:
        """What became of the request's own ops."""
        *outcomes, recorded = written.outcomes
        if isinstance(recorded, Recorded):
            self._place = recorded.place
        return Written(written.index, outcomes, written.replayed)

    def _record(
        self, facts: dict[str, Any], count: int, status: int, code: str = "", times: int = 1
    ) -> WriteAudit:
        request, principal = self._request, self._request.principal
        return WriteAudit(
            namespace=self._namespace(),
            principal=principal.name,
            role=principal.role,
            client=client_address(request, self._proxies),
            method=request.method,
            path=request.path[:AUDIT_TEXT_CHARS_MAX],
            query=request.query_string.decode("latin-1")[:AUDIT_TEXT_CHARS_MAX],
            request_id=self.request_id,
            summary=self._route.summary.partition(". ")[0],
            facts=facts,
            count=count,
            status=status,
            code=code,
            times=times,
        )

    def _namespace(self) -> str:
        """Where it belongs: what concerns the whole cluster is of no namespace. A principal of one namespace
        stays there, also with what it may not do."""
        if self.namespace is not None:
            return self.namespace
        if self._request.principal.namespace != ALL:
            return self._request.principal.namespace
        return ALL if self._route.needs in CLUSTER_WIDE else self._request.namespace


def sane_id(given: str | None) -> str | None:
    """The id that a client gave its request, if it can be put on record as it is."""
    return given if given is not None and _SANE_ID.fullmatch(given) else None


def belongs_to(request: Request, namespace: str) -> None:
    """What the request changes is of this namespace, whatever the request's own is."""
    if request.audit is not None:
        request.audit.namespace = namespace


def changes_nothing(request: Request) -> None:
    """It only looks, although others of its route change things."""
    if request.audit is not None:
        request.audit.leave_out()


def answers(request: Request, status: int) -> None:
    """If all goes well it is answered with this, not with what its route mostly answers."""
    if request.audit is not None:
        request.audit.status = status
