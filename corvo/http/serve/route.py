"""A route is declared once; the table drives both lanes, OpenAPI, permissions and the tests that walk it."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec

from corvo.core.errors import CorvoError
from corvo.http.serve.write_intent import Intent
from corvo.http.wire.message import Request, Response


class Handler(Protocol):
    def __call__(self, request: Request, context: Any, /) -> Awaitable[Response]: ...


class Intend(Protocol):
    """The first half of a write. An answer that takes no write is given at once. It has no effect by itself:
    a request that turns out to need the whole handler is looked at twice."""

    __name__: str

    def __call__(self, request: Request, context: Any, /) -> Intent | Response: ...


class Route(msgspec.Struct, eq=False):
    method: str
    path: str
    handler: Handler
    #: What a credential must allow; checked when there are credentials.
    needs: str | None
    body: Any
    #: A type, or several of which the answer is one.
    returns: Any
    status: int
    errors: tuple[type[CorvoError], ...]
    #: Served in front of Quart.
    hot: bool
    tag: str
    #: Query parameters and what they mean.
    query: dict[str, str]
    #: Other good answers than `status`.
    also: tuple[int, ...]
    #: The body is read by the handler, piece by piece, while it answers.
    duplex: bool
    #: The first half of the handler, if it is a write that waits for the log only.
    intend: Intend | None = None
    #: Whether it brings jobs, which have to wait for room.
    needs_room: bool = False

    @property
    def limited(self) -> bool:
        """Whether a client may be told to slow down: not for health and docs. A stream pays line by line."""
        return self.path.startswith("/api/v1/") and not self.duplex

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.handler) or "").partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        return inspect.getdoc(self.handler) or ""


ROUTES: list[Route] = []


def route(  # noqa: PLR0913 - one keyword per column of the table
    target: str,
    *,
    needs: str | None,
    body: Any = None,
    returns: Any = None,
    status: int = 200,
    errors: tuple[type[CorvoError], ...] = (),
    hot: bool = False,
    tag: str = "Jobs",
    query: dict[str, str] | None = None,
    also: tuple[int, ...] = (),
    duplex: bool = False,
    intend: Intend | None = None,
    needs_room: bool = False,
) -> Callable[[Handler], Handler]:
    """`@route("POST /api/v1/enqueue", ...)`: this function answers that request."""
    method, _, path = target.partition(" ")

    def enter(handler: Handler) -> Handler:
        assert not any(r.method == method and r.path == path for r in ROUTES), f"{target} is declared twice"
        ROUTES.append(
            Route(
                method,
                path,
                handler,
                needs,
                body,
                returns,
                status,
                errors,
                hot,
                tag,
                query or {},
                also,
                duplex,
                intend,
                needs_room,
            )
        )
        return handler

    return enter


def hot_write(target: str, *, needs_room: bool = False, **columns: Any) -> Callable[[Intend], Intend]:
    """`@hot_write("POST /api/v1/ack/{job_id}", ...)`: this function says what that request wants written."""

    def enter(intend: Intend) -> Intend:
        async def handler(request: Request, context: Any) -> Response:
            if needs_room:
                await context.room.admit_request(request.gone)
            response: Response = await context.carry_out(request, intend(request, context))
            return response

        # What the API's description calls it, and says of it.
        handler.__name__, handler.__doc__ = intend.__name__, intend.__doc__
        route(target, hot=True, intend=intend, needs_room=needs_room, **columns)(handler)
        return intend

    return enter
