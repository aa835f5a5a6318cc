"""Protocols of an edge: an application that answers requests, and a server that speaks HTTP for it."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from corvo.core.clock import Clock
from corvo.http.wire.byte_budget import ByteBudget
from corvo.http.wire.message import Headers, Request, Response

#: Where a scope holds the name of the client's certificate, if it has shown one.
CERTIFICATE: Final = "corvo.certificate"

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]


class Responding(Protocol):
    async def respond(self, route: Any, request: Request, /) -> Response:
        """Raises AnswerBroken if there is no answer, and the client must notice."""

    def begin(self, route: Any, request: Request, tell: Callable[[Response], None], /) -> bool:
        """Answer without a task, if that can be done. False if it cannot, and then nothing has happened."""

    def error(self, error: Exception, /) -> Response: ...

    def headers(
        self, response: Response, request_headers: dict[bytes, bytes], started_ns: int, /
    ) -> Headers: ...

    def lines(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int, /) -> bytes:
        """The headers as they are written, each with its line end."""


class HotRoutes(Protocol):
    """Routes that may be answered without ASGI."""

    #: Method and path of each that takes a whole body.
    names: list[tuple[str, str]]
    body_max: int
    body_timeout_s: float
    #: How long a client may take nothing of its answer.
    stalled_s: float
    #: What all clients have half sent, and what they have not read.
    incoming: ByteBudget
    outgoing: ByteBudget

    @property
    def clock(self) -> Clock: ...

    @property
    def responder(self) -> Responding: ...

    def trusts(self, headers: dict[bytes, bytes], /) -> bool:
        """Whether nothing in the head wants a closer look: it is for this node, and no page has sent it."""

    def find(self, method: str, path: str, /) -> tuple[Any, dict[str, str]] | None:
        """The route for a request with a whole body, and the parameters in its path."""

    def find_duplex(self, method: str, path: str, /) -> Any | None:
        """The route for a request that is answered while its body comes in."""


class App(Protocol):
    """An ASGI application that can be told that its server stops."""

    @property
    def hot_routes(self) -> HotRoutes | None:
        """What can be answered without ASGI. A server needs it; what only answers requests does not."""

    # Any, because servers have different ideas of these types.
    async def __call__(self, scope: Any, receive: Any, send: Any, /) -> None: ...

    def drain(self) -> None:
        """What is under way is answered, as the last of its connection; streams end."""


class Server(Protocol):
    """Made with a bound socket, which is its own from then on."""

    #: Where it listens, as clients spell it.
    address: str

    def start(self) -> None:
        """From now on no client is refused, even if the first answers take a moment."""

    def reload(self) -> None:
        """Read the files of certificates again, if there are any."""

    async def wait(self) -> None:
        """Wait until the server ends; it ends by itself only if it failed."""

    async def stop(self) -> None:
        """Take no new connections and finish the requests under way."""

    def close(self) -> None:
        """Let go of the address, if it was never served."""


class AnswerBroken(Exception):
    """The node has no answer to this request, or no more of it."""


class EdgeMissing(Exception):
    """The edge that was asked for is not installed; the message says how to get it."""
