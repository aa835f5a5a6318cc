"""Remote hot routes: in an edge process FastHttp1 reads the request, and the node answers it.

    client -> FastHttp1 of this process -> [remote hot routes] -> link -> node end: hot route

FastHttp1 saves an edge process what it saves a node: the tasks, locks and writes of a whole HTTP server. It
needs to know which requests are for hot routes, and nothing of what they mean.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from corvo.config import Config
from corvo.core.clock import SystemClock
from corvo.core.ids import IdSource
from corvo.http.edges.edge_app import EdgeApp, Exchange
from corvo.http.edges.frames import RequestFrame, RouteName
from corvo.http.serve.browser_guard import BrowserGuard
from corvo.http.serve.errors import response_of
from corvo.http.serve.matcher import Match, Matcher
from corvo.http.wire.byte_budget import ByteBudget
from corvo.http.wire.message import Headers, Request, Response
from corvo.http.wire.protocols import AnswerBroken
from corvo.http.wire.response_headers import ResponseHeaders, spell

#: Never sent: the client has hung up.
_UNHEARD: Final = Response(204)


class RemoteHotRoutes:
    def __init__(self, relay: EdgeApp, config: Config, names: list[RouteName]) -> None:
        self._relay = relay
        self.names = names
        self.responder = self
        self.clock = SystemClock()
        self.body_max = config.max_body_size
        self.body_timeout_s = config.body_timeout / 1_000
        self.stalled_s = config.send_timeout / 1_000
        self.incoming = ByteBudget(config.request_memory_bytes // max(1, config.edge_workers))
        self.outgoing = ByteBudget(config.answer_memory_bytes // max(1, config.edge_workers))
        self._ids = IdSource(self.clock)
        self._headers = ResponseHeaders(config.origins())
        self._guard = BrowserGuard(config)
        self._matcher: Matcher[None] = Matcher()
        for method, path in names:
            self._matcher.add(method, path, None)

    def trusts(self, headers: dict[bytes, bytes]) -> bool:
        """What is not trusted here is decided by the node."""
        return self._guard.trusts(headers)

    def find(self, method: str, path: str) -> Match[None] | None:
        return self._matcher.find(method, path)

    def find_duplex(self, method: str, path: str) -> None:
        """Streams are left to the whole server of this process, which passes them on to the node."""

    async def respond(self, route: Any, request: Request) -> Response:
        assert request.gone is not None
        exchange = self._relay.open()
        watching = asyncio.ensure_future(request.gone())
        try:
            exchange.ask(_ask(exchange, request))
            watching.add_done_callback(lambda watch: None if watch.cancelled() else exchange.hang_up())
            answer = await exchange.next()
            if answer is None:
                if exchange.is_gone:
                    return _UNHEARD
                raise AnswerBroken("the node did not answer this request")
            assert not answer.more, "a hot route answered in pieces"
            return Response(answer.status, answer.body, headers=answer.headers)
        finally:
            watching.cancel()
            self._relay.close(exchange)

    def begin(self, route: Any, request: Request, tell: Callable[[Response], None]) -> bool:
        """Always False: asking the node takes a task, which notices if the client hangs up."""
        return False

    def error(self, error: Exception) -> Response:
        """The answer to what only this process notices: a body that does not come."""
        refusal = response_of(error, self._ids.new("req"))
        refusal.headers = [
            pair for pair in self._headers.pairs(refusal, {}, 0.0) if pair[0] != b"server-timing"
        ]
        return refusal

    def headers(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int) -> Headers:
        return response.headers

    def lines(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int) -> bytes:
        return spell(response.headers)


def _ask(exchange: Exchange, request: Request) -> RequestFrame:
    return RequestFrame(
        number=exchange.number,
        kind="http",
        http_version="1.1",
        method=request.method,
        path=request.path,
        raw_path=request.path.encode(),
        query=request.query_string,
        headers=list(request.headers.items()),
        body=request.body,
        more=False,
        peer=request.peer,
        certificate=request.certificate,
    )
