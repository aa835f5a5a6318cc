"""The Quart app: the management API, the docs and the UI; with the hot lane in front."""

from collections.abc import Callable
from typing import Any

import structlog
from quart import Quart
from quart import Response as QuartResponse
from quart import request as quart_request
from quart.routing import QuartRule
from werkzeug.exceptions import HTTPException

from corvo.core.errors import (
    CorvoError,
    MethodNotAllowed,
    NotFound,
    ParseError,
    PayloadTooLarge,
    RequestTimeout,
)
from corvo.http.api.routes.operate.chaos import CHAOS_ROUTES
from corvo.http.api.routes.operate.ui import UI_ROUTES
from corvo.http.api.table import routes
from corvo.http.serve.asgi_hot import Lane
from corvo.http.serve.context import Context
from corvo.http.serve.respond import Responder
from corvo.http.serve.route import Route
from corvo.http.wire.message import Request, Response

log = structlog.get_logger()


class _Rule(QuartRule):
    """Werkzeug compiles, for each rule, code that writes its URL. Nobody asks for one here, and it would take
    half of the time that a node needs to start. Should this method get another name one day, starting is slow
    again, and nothing else."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return _no_url


def _no_url(*_args: object, **_values: object) -> tuple[str, str]:
    raise AssertionError("routes are read here, never written")


class Edge:
    """One node's HTTP edge as an ASGI application."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._responder = Responder(context)
        self.quart = Quart("corvo", static_folder=None)
        self.quart.url_rule_class = _Rule
        # A path with two slashes in a row is not there, rather than somewhere else, in HTML.
        self.quart.url_map.merge_slashes = False
        self.quart.config["MAX_CONTENT_LENGTH"] = context.config.max_body_size
        self.quart.config["BODY_TIMEOUT"] = context.config.body_timeout / 1_000
        for route in routes():
            # Hot ones, too: it answers for methods that a path does not take.
            if context.config.docs_enabled or route.tag != "Docs":
                self._add(route)
        for route in (*UI_ROUTES, *(CHAOS_ROUTES if context.config.chaos else ())):
            self._add(route)
        self.quart.register_error_handler(HTTPException, self._routing_failed)
        inner: Any = self.quart.asgi_app
        self.lane = Lane(
            inner,
            [route for route in routes() if route.hot],
            self._responder,
            context.clock,
            body_max=context.config.max_body_size,
            body_timeout_s=context.config.body_timeout / 1_000,
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.lane(scope, receive, send)

    def drain(self) -> None:
        """What is under way is answered, as the last of its connection; streams end."""
        self.lane.draining = True
        self.context.conversations.stop()

    def _add(self, route: Route) -> None:
        async def view(**params: str) -> QuartResponse:
            started_ns = self.context.clock.monotonic_ns()
            headers = {
                name.lower().encode(): value.encode("latin-1") for name, value in quart_request.headers
            }
            body = await quart_request.get_data()
            assert isinstance(body, bytes)
            request = Request(
                method=quart_request.method,
                path=quart_request.path,
                query=quart_request.args.to_dict(),
                headers=headers,
                body=body,
                params=params,
                started_ns=started_ns,
                peer=quart_request.remote_addr or "",
            )
            return self._quart_response(await self._responder.respond(route, request), headers, started_ns)

        self.quart.add_url_rule(
            route.path.replace("{", "<").replace("}", ">"),
            f"{route.method} {route.path}",
            view,
            methods=[route.method],
            provide_automatic_options=False,
        )

    async def _routing_failed(self, error: HTTPException) -> QuartResponse:
        """No route, no such method, a body too large: what Quart refuses before a handler runs."""
        started_ns = self.context.clock.monotonic_ns()
        path = quart_request.path
        known: CorvoError
        match error.code:
            case 404:
                known = NotFound(f"there is nothing at {path}")
            case 405:
                known = MethodNotAllowed(f"{path} does not take {quart_request.method}")
            case 408:
                known = RequestTimeout("the body did not arrive in time")
            case 413:
                known = PayloadTooLarge(f"the body has more than {self.context.config.max_body_size} bytes")
            case _ if error.code is not None and error.code < 500:
                known = ParseError(error.description or error.name)
            case _:
                known = CorvoError("internal error")
        response = self._responder.error(known)
        valid_methods = getattr(error, "valid_methods", None)
        if valid_methods:
            response.headers = [(b"allow", ", ".join(sorted(valid_methods)).encode())]
        return self._quart_response(response, {}, started_ns)

    def _quart_response(
        self, response: Response, request_headers: dict[bytes, bytes], started_ns: int
    ) -> QuartResponse:
        answer = QuartResponse(
            response.body if response.stream is None else response.stream, status=response.status
        )
        if response.stream is not None:
            # A stream may go on for days.
            answer.timeout = None
        answer.headers.clear()
        for name, value in self._responder.headers(response, request_headers, started_ns):
            answer.headers.add(name.decode("latin-1"), value.decode("latin-1"))
        return answer
