"""A route is declared once; the table drives every way in, OpenAPI, permissions and the tests that walk it.

    request -> handler -> WriteIntent   what is to be written, and how to answer then
                       -> Response      nothing to write: the answer itself

There is one protocol for all handlers. A plain function needs nothing but the request, so it takes no task
of its own; a coroutine function may ask actors first, or wait.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar

import msgspec

from corvo.core.access.permissions import PERMISSIONS
from corvo.core.errors import CorvoError
from corvo.http.serve.redaction import shows_data
from corvo.http.serve.write_intent import WriteIntent
from corvo.http.wire.message import Request, Response

Made = WriteIntent | Response

#: Stands for a permission where anybody may have the answer.
PUBLIC: Final = "public"
READS: Final = frozenset({"GET", "HEAD"})
#: Permissions for what producers and workers do all the time: each job's own history tells of it.
DAILY_WORK: Final = frozenset(
    {
        "enqueue:write",
        "batch:write",
        "fetch:write",
        "ack:write",
        "fail:write",
        "heartbeat:write",
        "release:write",
    }
)


class Handler(Protocol):
    """May raise what the client is to be told instead. A plain function has no effect by itself."""

    __name__: str

    def __call__(self, request: Request, context: Any, /) -> Made | Awaitable[Made]: ...


class Route(msgspec.Struct, eq=False, kw_only=True):
    method: str
    path: str
    handler: Handler
    #: The permission that its client must have, or PUBLIC.
    needs: str
    body: Any = None
    #: A type, or several of which the answer is one.
    returns: Any = None
    status: int = 200
    errors: tuple[type[CorvoError], ...] = ()
    #: Served in front of Quart.
    hot: bool = False
    tag: str = "Jobs"
    #: Query parameters and what they mean.
    query: dict[str, str] = {}
    #: Other good answers than `status`.
    also: tuple[int, ...] = ()
    #: The body is read by the handler, piece by piece, while it answers.
    duplex: bool = False
    #: Whether requests go on record with what they changed; by its permission, unless said otherwise.
    audited: bool | None = None
    #: Whether a request goes on record before it is tried, because what it changes is not in the log.
    recorded_first: bool = False
    #: Whether it brings jobs, which have to wait for room.
    needs_room: bool = False
    #: Whether the handler has to be awaited.
    is_async: bool = False
    #: Whether its answers may hold data of jobs, which not everybody may read.
    shows_data: bool = False

    def __post_init__(self) -> None:
        assert self.needs is PUBLIC or self.needs in PERMISSIONS, f"{self.path} needs {self.needs!r}"
        self.shows_data = shows_data(self.needs)
        self.is_async = inspect.iscoroutinefunction(self.handler)
        if self.audited is None:
            self.audited = self.method not in READS and _is_change(self.needs)

    @property
    def limited(self) -> bool:
        """Whether a client may be told to slow down: not for health and docs. A stream pays line by line."""
        return (self.path.startswith("/api/v1/") or self.path == "/metrics") and not self.duplex

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.handler) or "").partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        return inspect.getdoc(self.handler) or ""


def _is_change(needs: str) -> bool:
    """Whether what this permission is for goes on record. Not the daily work of producers and workers, of
    which there is as much as there are jobs, nor questions that come by POST."""
    return needs is not PUBLIC and needs not in DAILY_WORK and not needs.endswith((":read", ":search"))


ROUTES: list[Route] = []

AnyHandler = TypeVar("AnyHandler", bound=Callable[..., Any])


def route(target: str, *, needs: str, **columns: Any) -> Callable[[AnyHandler], AnyHandler]:
    """`@route("POST /api/v1/enqueue", needs="enqueue:write", ...)`: this function answers that request.

    The columns are the fields of `Route`.
    """
    method, _, path = target.partition(" ")

    def enter(handler: AnyHandler) -> AnyHandler:
        assert not any(r.method == method and r.path == path for r in ROUTES), f"{target} is declared twice"
        ROUTES.append(Route(method=method, path=path, handler=handler, needs=needs, **columns))
        return handler

    return enter
