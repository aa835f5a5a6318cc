"""The edge of one node as an ASGI application: Quart serves the management API, the docs and the UI; hot
routes are answered in front of it."""

from typing import Any

from quart import Quart
from quart import Response as QuartResponse
from quart import request as quart_request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from corvo.core.errors import (
    CorvoError,
    MethodNotAllowed,
    NotFound,
    ParseError,
    PayloadTooLarge,
    RequestTimeout,
)
from corvo.http.api.routes.operate.chaos import CHAOS_ROUTES
from corvo.http.api.routes.operate.docs_files import DOCS_FILES_ROUTE
from corvo.http.api.routes.operate.ui import UI_ROUTES
from corvo.http.api.table import routes
from corvo.http.serve.asgi_hot import BODY, MATCH, AsgiHot, path_of, request_in
from corvo.http.serve.browser_guard import BrowserGuard
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.hot_routes import LocalHotRoutes
from corvo.http.serve.matcher import Match, Matcher
from corvo.http.serve.respond import Responder
from corvo.http.serve.route import Route
from corvo.http.wire.message import Response

#: Quart wants to know all methods of a path; which of them a route takes is for the matcher to say.
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT")


class _Anything(BaseConverter):
    """Werkzeug's own converters stop at a line break, which may well be in a path: as %0A."""

    regex = r"(?s:.*)"
    part_isolating = False


class Edge:
    def __init__(self, context: EdgeContext) -> None:
        self.context = context
        config = context.config
        self._responder = Responder(context)
        self._table: Matcher[Route] = Matcher()
        known = [route for route in routes() if config.docs_enabled or route.tag != "Docs"]
        files = (*UI_ROUTES, *((DOCS_FILES_ROUTE,) if config.docs_enabled else ()))
        for route in (*known, *files, *(CHAOS_ROUTES if config.chaos else ())):
            self._table.add(route.method, route.path, route)
        guard = BrowserGuard(config)
        self.hot_routes = LocalHotRoutes(
            known,
            self._responder,
            context.clock,
            guard,
            config,
            context.incoming,
        )
        quart: Any = self._quart().asgi_app
        self._asgi = AsgiHot(quart, self._table, self.hot_routes, guard)

    def _quart(self) -> Quart:
        quart = Quart("corvo", static_folder=None)
        quart.config["MAX_CONTENT_LENGTH"] = self.context.config.max_body_size
        quart.config["BODY_TIMEOUT"] = self.context.config.body_timeout / 1_000
        # A path with two slashes in a row gets our 404 instead of a redirect with a page in HTML.
        quart.url_map.merge_slashes = False
        quart.url_map.converters["anything"] = _Anything
        quart.add_url_rule(
            "/<anything:path>", "view", self._view, methods=list(_METHODS), provide_automatic_options=False
        )
        quart.register_error_handler(HTTPException, self._quart_failed)
        return quart

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._asgi(scope, receive, send)

    def drain(self) -> None:
        """What is under way is answered, as the last of its connection; streams end."""
        self._responder.drain()
        self.context.open_streams.stop()

    async def _view(self, path: str) -> QuartResponse:
        started_ns = self.context.clock.monotonic_ns()
        scope: Any = quart_request.scope
        headers = dict(scope["headers"])
        match: Match[Route] | None = scope[MATCH]
        if match is None:
            response = self._not_there(scope["method"], path_of(scope))
        else:
            request = request_in(scope, headers, scope[BODY], match.params, started_ns)
            response = await self._responder.respond(match.found, request)
        return self._quart_response(response, headers, started_ns)

    def _not_there(self, method: str, path: str) -> Response:
        methods = self._table.methods(path)
        if not methods:
            return self._responder.error(NotFound(f"there is nothing at {path}"))
        response = self._responder.error(MethodNotAllowed(f"{path} does not take {method}"))
        if "GET" in methods:
            methods = sorted([*methods, "HEAD"])
        response.headers = [(b"allow", ", ".join(methods).encode())]
        return response

    async def _quart_failed(self, error: HTTPException) -> QuartResponse:
        """A body too large or too late, a method without a name: what Quart refuses before a handler runs."""
        started_ns = self.context.clock.monotonic_ns()
        scope: Any = quart_request.scope
        known: CorvoError
        match error.code:
            case 404 | 405:
                response = self._not_there(scope["method"], path_of(scope))
                return self._quart_response(response, {}, started_ns)
            case 408:
                known = RequestTimeout("the body did not arrive in time")
            case 413:
                known = PayloadTooLarge(f"the body has more than {self.context.config.max_body_size} bytes")
            case _ if error.code is not None and error.code < 500:
                known = ParseError(error.description or error.name)
            case _:
                known = CorvoError("internal error")
        return self._quart_response(self._responder.error(known), {}, started_ns)

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
