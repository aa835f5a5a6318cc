"""Hot routes of this node: enqueue, fetch, ack, fail, heartbeat, a look at a job, a worker's stream.

They are answered without Quart, and plain HTTP/1.1 requests for them without any other HTTP server either.
"""

from collections.abc import Iterable

from corvo.config import Config
from corvo.core.clock import Clock
from corvo.http.serve.browser_guard import BrowserGuard
from corvo.http.serve.matcher import Match, Matcher
from corvo.http.serve.respond import Responder
from corvo.http.serve.route import Route
from corvo.http.wire.byte_budget import ByteBudget


class LocalHotRoutes:
    """Implements wire.protocols.HotRoutes; RemoteHotRoutes is its counterpart in an edge process."""

    def __init__(
        self,
        routes: Iterable[Route],
        responder: Responder,
        clock: Clock,
        guard: BrowserGuard,
        config: Config,
        incoming: ByteBudget,
    ) -> None:
        self.responder = responder
        self.clock = clock
        self._guard = guard
        self.body_max = config.max_body_size
        self.body_timeout_s = config.body_timeout / 1_000
        self.stalled_s = config.send_timeout / 1_000
        self.incoming = incoming
        self.outgoing = ByteBudget(config.answer_memory_bytes)
        self.names: list[tuple[str, str]] = []
        self._whole: Matcher[Route] = Matcher()
        self._duplex: Matcher[Route] = Matcher()
        for route in routes:
            if not route.hot:
                continue
            if route.duplex:
                self._duplex.add(route.method, route.path, route)
            else:
                self._whole.add(route.method, route.path, route)
                self.names.append((route.method, route.path))

    def trusts(self, headers: dict[bytes, bytes]) -> bool:
        return self._guard.trusts(headers)

    def find(self, method: str, path: str) -> Match[Route] | None:
        return self._whole.find(method, path)

    def find_duplex(self, method: str, path: str) -> Route | None:
        match = self._duplex.find(method, path)
        return None if match is None else match.found
