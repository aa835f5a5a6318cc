"""Fast HTTP/1.1: a connection that answers plain requests for hot routes, in front of a whole HTTP server.

    socket -> [fast http1] -> responder.begin ~~> log ~~> _answer -> socket   a plain request for a hot route
                           -> duplex http1                                    a worker's stream
                           -> Hypercorn, Granian                              anything else; it stays there

Plain is what `request_head` says: HTTP/1.1, each field once, a body with a length, no `Connection: close`.
And it is for this node, and no web page has sent it (`HotRoutes.trusts`).
Hypercorn takes several tasks, locks and writes per request, and Granian takes it to another thread and back:
either is more than such a request costs in all. FastHttp1 knows plain requests only. Whatever is not exactly
that goes to the whole server, from its first byte on, so there is one place that judges what HTTP allows and
says what is wrong.
"""

import asyncio
from typing import TYPE_CHECKING, Any, Final, cast

from corvo.core.errors import CorvoError, Overloaded, RequestTimeout
from corvo.http.wire.byte_budget import TOO_SLOW_TEXT, HeldBytes
from corvo.http.wire.connection_gate import REFUSAL_TEXT
from corvo.http.wire.message import CLOSE, Request, Response, request_of
from corvo.http.wire.protocols import AnswerBroken
from corvo.http.wire.request_head import RequestHead, read_head
from corvo.http.wire.tls import certificate_name

if TYPE_CHECKING:
    from corvo.http.wire.acceptor import Acceptor
#: How long a connection without a request is left alone even when all are taken.
_IDLE_S_LEAST: Final = 5.0


class FastHttp1(asyncio.Protocol):
    """One connection, until it closes or is passed on."""

    def __init__(self, acceptor: "Acceptor") -> None:
        self._acceptor = acceptor
        self._hot = acceptor.hot_routes
        self._transport: asyncio.Transport
        self._peer: str
        self._certificate: str
        #: Received and not yet understood.
        self._unread = b""
        #: A request whose body is still coming in: its head, the pieces, and how many bytes are missing.
        self._head: RequestHead | None = None
        self._route: Any
        self._params: dict[str, str]
        self._pieces: list[bytes] = []
        self._missing_bytes = 0
        self._late: asyncio.TimerHandle | None = None
        #: What is here of it; and a large answer that is not read yet.
        self._incoming: HeldBytes | None = None
        self._outgoing: HeldBytes | None = None
        self._stalled: asyncio.TimerHandle | None = None
        #: The request being answered, and the task that does it, if it takes one.
        self._request: Request | None = None
        self._answering: asyncio.Task[None] | None = None
        self._gone: asyncio.Future[None] | None = None
        self._is_paused = False
        self._can_write = True
        #: Bytes of the last answer that were still unsent at the last look.
        self._unsent_bytes = 0
        self._quiet_since = 0.0
        self._idle: asyncio.TimerHandle
        #: Whether it counts among the connections there may be.
        self._has_room = False

    # What the loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, because uvloop has transports of its own.
        self._transport = cast("asyncio.Transport", transport)
        address = transport.get_extra_info("peername")
        self._peer = address[0] if address else ""
        self._certificate = certificate_name(transport)
        loop = self._acceptor.loop
        self._has_room = self._acceptor.came(self, self._peer)
        self._quiet_since = loop.time()
        self._idle = loop.call_later(self._acceptor.idle_timeout_s, self._close_if_idle)
        if not self._has_room:
            self._refuse_connection()
        elif self._acceptor.is_stopping:
            # Accepted a moment before the stop; connections that were here by then have been told already.
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        if self._head is not None:
            self._take_piece(data)
            return
        self._unread = self._unread + data if self._unread else data
        if self._request is None and self._can_write:
            self._read_on()
        if len(self._unread) > self._acceptor.ahead_max and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def pause_writing(self) -> None:
        self._can_write = False
        self._watch_reading()

    def resume_writing(self) -> None:
        self._can_write = True
        self._answer_is_read()
        self._go_on()

    def connection_lost(self, error: Exception | None) -> None:
        self._answer_is_read()
        self._leave()
        if self._has_room:
            self._acceptor.went(self._peer)
        self._unread = b""
        if self._gone is not None and not self._gone.done():
            self._gone.set_result(None)

    # Reading

    def _read_more(self) -> None:
        if self._is_paused and not self._transport.is_closing():
            self._is_paused = False
            self._transport.resume_reading()

    def _read_on(self) -> None:
        """Begin with the next request, if it is there."""
        data = self._unread
        end = data.find(b"\r\n\r\n")
        if end < 0:
            if len(data) > self._acceptor.head_max or not _may_be_plain(data):
                self._pass_on()
            return
        head = read_head(data[:end]) if end <= self._acceptor.head_max else None
        if head is None:
            self._pass_on()
        elif head.body_bytes is None:
            self._begin_duplex(head, end + 4)
        else:
            self._read_body(head, head.body_bytes, end + 4)

    def _begin_duplex(self, head: RequestHead, begin: int) -> None:
        route = self._hot.find_duplex(head.method, head.path)
        if route is None or not self._hot.trusts(head.headers):
            self._pass_on()
            return
        unread, self._unread = self._unread[begin:], b""
        self._leave()
        self._acceptor.begin_duplex(self._transport, self._peer, route, head, unread)

    def _read_body(self, head: RequestHead, size: int, begin: int) -> None:
        data = self._unread
        found = self._hot.find(head.method, head.path)
        if found is None or size > self._hot.body_max or not self._hot.trusts(head.headers):
            self._pass_on()
            return
        self._route, self._params = found
        if len(data) - begin >= size:
            body = data[begin : begin + size]
            self._unread = data[begin + size :]
            self._begin(head, body)
        else:
            self._head = head
            self._pieces = [data[begin:]]
            self._missing_bytes = size - len(self._pieces[0])
            self._unread = b""
            self._late = self._acceptor.loop.call_later(self._hot.body_timeout_s, self._body_is_late)
            self._incoming = self._hot.incoming.begin(self._body_gave_way)
            self._incoming.add(len(self._pieces[0]))

    def _take_piece(self, data: bytes) -> None:
        assert self._head is not None
        self._pieces.append(data)
        self._missing_bytes -= len(data)
        if self._missing_bytes > 0:
            assert self._incoming is not None
            self._incoming.add(len(data))
            pause_s = self._incoming.pause_s(len(data))
            if pause_s and not self._is_paused:
                self._is_paused = True
                self._transport.pause_reading()
                self._acceptor.loop.call_later(pause_s, self._read_more)
            return
        head, body = self._head, b"".join(self._pieces)
        self._forget_body()
        # Behind it the next request may have begun.
        end = len(body) + self._missing_bytes
        self._unread = body[end:]
        self._begin(head, body[:end])

    def _forget_body(self) -> None:
        self._head = None
        self._pieces = []
        if self._late is not None:
            self._late.cancel()
            self._late = None
        if self._incoming is not None:
            self._incoming.end()
            self._incoming = None

    # Answering

    def _begin(self, head: RequestHead, body: bytes) -> None:
        request = request_of(
            head.method,
            head.path,
            head.query,
            head.headers,
            body,
            self._params,
            started_ns=self._hot.clock.monotonic_ns(),
            peer=self._peer,
            certificate=self._certificate,
            gone=self._until_gone,
        )
        self._request = request
        if not self._hot.responder.begin(self._route, request, self._answer):
            self._answering = self._acceptor.loop.create_task(self._respond(self._route, request))

    async def _respond(self, route: Any, request: Request) -> None:
        try:
            response = await self._hot.responder.respond(route, request)
        except AnswerBroken:
            self._transport.abort()
            return
        self._answering = None
        self._gone = None
        self._answer(response)

    def _answer(self, response: Response) -> None:
        request, self._request = self._request, None
        assert request is not None
        self._write(response, request.headers, request.started_ns)
        self._quiet_since = self._acceptor.loop.time()
        if self._unread:
            # Not from here: of a thousand requests that come at once, each would be answered inside the last.
            self._acceptor.loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        """With the next request, if it has come already and the last answer has gone out."""
        if self._request is not None or self._head is not None:
            return  # More came in the meantime, and that was the next request.
        if self._unread and self._can_write and not self._transport.is_closing():
            self._read_on()
            if len(self._unread) <= self._acceptor.ahead_max:
                self._read_more()

    def _write(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int) -> None:
        if self._transport.is_closing():
            return
        lines = self._hot.responder.lines(response, request_headers, started_ns)
        self._transport.write(self._acceptor.head(response.status, lines) + response.body)
        if not self._can_write:
            # Aborted, not closed: what lies there unread is to go at once.
            self._outgoing = self._hot.outgoing.begin(self._transport.abort)
            self._outgoing.add(self._transport.get_write_buffer_size())
        if CLOSE in response.headers:
            self._transport.close()

    def _watch_reading(self) -> None:
        """A client that takes nothing of its answer for a while is given up."""
        unsent_bytes = self._transport.get_write_buffer_size()

        def look() -> None:
            if self._transport.get_write_buffer_size() >= unsent_bytes:
                self._transport.abort()
            else:
                self._watch_reading()

        self._stalled = self._acceptor.loop.call_later(self._hot.stalled_s, look)

    def _answer_is_read(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        if self._outgoing is not None:
            self._outgoing.end()
            self._outgoing = None

    async def _until_gone(self) -> None:
        # A client may hang up before this is called, even in the turn of the loop that brought its request.
        if not self._transport.is_closing():
            self._gone = self._acceptor.loop.create_future()
            await self._gone

    # Ends

    def _pass_on(self) -> None:
        """Let the whole server have the connection, as if it had had it from the beginning."""
        unread, self._unread = self._unread, b""
        self._leave()
        self._acceptor.pass_on(self._transport, self._peer, unread)

    def _leave(self) -> None:
        self._acceptor.left(self)
        self._idle.cancel()
        self._forget_body()
        self._read_more()

    def _refuse_connection(self) -> None:
        """Told before it has asked: what it asks would have to be read first."""
        response = self._hot.responder.error(Overloaded(REFUSAL_TEXT, retry_after_ms=1_000))
        response.status = 503
        response.close_after()
        self._write(response, {}, self._hot.clock.monotonic_ns())

    @property
    def may_give_way(self) -> bool:
        """Whether its client would hardly notice that it is closed: it has been idle for a while."""
        is_idle = self._request is None and self._head is None and not self._transport.is_closing()
        return is_idle and self._acceptor.loop.time() - self._quiet_since >= _IDLE_S_LEAST

    def give_way(self) -> None:
        """To another client, now: nothing is under way."""
        self._acceptor.left(self)
        self._acceptor.went(self._peer)
        self._has_room = False
        self._transport.abort()

    def close_soon(self) -> None:
        """The node stops: now if nothing is under way, after the answer otherwise."""
        if self._request is None and self._head is None:
            self._transport.close()

    def _close_if_idle(self) -> None:
        loop = self._acceptor.loop
        left_s = self._acceptor.idle_timeout_s
        if self._request is None and self._head is None:
            left_s += self._quiet_since - loop.time()
        if left_s > 0:
            self._idle = loop.call_later(left_s, self._close_if_idle)
            return
        unsent_bytes = self._transport.get_write_buffer_size()
        if unsent_bytes and unsent_bytes == self._unsent_bytes:
            # The client has read nothing all the time, and `close` would wait until it does.
            self._transport.abort()
            return
        self._transport.close()
        self._unsent_bytes = unsent_bytes
        self._idle = loop.call_later(self._acceptor.idle_timeout_s, self._close_if_idle)

    def _body_is_late(self) -> None:
        self._refuse_body(RequestTimeout(f"the body was not complete after {self._hot.body_timeout_s:g} s"))

    def _body_gave_way(self) -> None:
        # Not from here: it may be in the middle of taking a piece.
        self._acceptor.loop.call_soon(self._refuse_body, Overloaded(TOO_SLOW_TEXT, retry_after_ms=1_000))

    def _refuse_body(self, error: CorvoError) -> None:
        if self._head is None:
            return  # Complete, or gone, in the meantime.
        request_headers = self._head.headers
        self._forget_body()
        response = self._hot.responder.error(error)
        # The rest of the request is of no use, so the connection cannot go on.
        response.close_after()
        self._write(response, request_headers, self._hot.clock.monotonic_ns())


def _may_be_plain(beginning: bytes) -> bool:
    """Whether it is worth waiting for the rest of a head that begins like this."""
    if beginning.count(b"\n") != beginning.count(b"\r\n"):
        return False  # Its lines end in another way, so the end of a plain head may never come.
    return b"GET POST PUT DELETE ".find(beginning.partition(b" ")[0][:6]) >= 0
