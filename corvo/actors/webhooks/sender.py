"""Sender: makes one POST to one address and says what became of it. It knows nothing of webhooks.

    webhooks --post--> [sender] --HTTP/1.1--> receiver
             <--Posted--

HTTP is spoken by h11 over a connection of our own making, because the address to connect to is not for a
library to choose: it is the one that was checked (webhook_targets.py). Redirects are not followed for the
same reason. Connections are kept for the next post to the same target, a few and not for long.
"""

import asyncio
import ssl
from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import h11
import msgspec

from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.actors.webhooks.messages import OutgoingPost, Posted, Receipt
from corvo.actors.webhooks.webhook_targets import (
    ResolveHost,
    TargetRefused,
    WebhookTarget,
    addresses,
    check_literal,
    parse_target,
    system_resolve,
)
from corvo.core.clock import NS_PER_MS, Clock

#: What is read of an answer before the connection is given up: only the status is used.
_ANSWER_BYTES_MAX = 64 * 1024
_READ_BYTES = 16 * 1024
#: Idle connections kept, and for how long.
_IDLE_MAX = 64
_IDLE_S_MAX = 15.0
_REQUEST_TIMEOUT = 408


class Sender(Protocol):
    def post(self, post: OutgoingPost, reply_to: ActorAddress, tag: Any) -> None:
        """Send it. Posted follows, unless the sender is closed."""


class SenderSettings(msgspec.Struct, frozen=True):
    timeout_s: float = 10.0
    allow_private: bool = False


class _Failed(Exception):
    """The post was not delivered; the text says why."""


class HttpSender:
    """Runs on the node's loop."""

    def __init__(
        self,
        tell: Callable[[ActorAddress, Message], None],
        settings: SenderSettings,
        clock: Clock,
        *,
        resolve: ResolveHost = system_resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._tell = tell
        self._settings = settings
        self._clock = clock
        self._resolve = resolve
        self._given_tls = tls
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: dict[WebhookTarget, _Connection] = {}

    def post(self, post: OutgoingPost, reply_to: ActorAddress, tag: Any) -> None:
        if self._closed:
            return
        task = asyncio.get_running_loop().create_task(self._carry(post, reply_to, tag))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Drop everything; what is not confirmed will be delivered again by the next leader."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in self._idle.values():
            connection.close()
        self._idle.clear()

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Reading the authorities of the machine takes a while, and most nodes never need them."""
        return self._given_tls or ssl.create_default_context()

    # Sending

    async def _carry(self, post: OutgoingPost, reply_to: ActorAddress, tag: Any) -> None:
        started_ns = self._clock.monotonic_ns()
        status: int | None = None
        error: str | None = None
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                status = await self._send(post)
            if not 200 <= status < 300:
                error = f"the receiver answered {status}"
        except TimeoutError:
            error = f"no answer within {self._settings.timeout_s:g} s"
        except (_Failed, TargetRefused, EOFError) as failure:
            error = str(failure)
        except (OSError, h11.ProtocolError, ValueError) as failure:
            error = f"{type(failure).__name__}: {failure}"[:300]
        took_ms = (self._clock.monotonic_ns() - started_ns) // NS_PER_MS
        self._tell(reply_to, Posted(tag, Receipt(status, error, took_ms)))

    async def _send(self, post: OutgoingPost) -> int:
        target = parse_target(post.url)
        kept = self._idle.pop(target, None)
        if kept is not None:
            if kept.is_fresh():
                try:
                    status = await self._exchange(kept, target, post)
                    # Some receivers say so when they give up an idle connection: it is not about this post.
                    if status != _REQUEST_TIMEOUT:
                        return status
                except (OSError, EOFError, h11.ProtocolError):
                    # The receiver has hung up meanwhile. If it saw the post it sees it twice, which it may.
                    kept.close()
            else:
                kept.close()
        return await self._exchange(await self._connect(target), target, post)

    async def _exchange(self, connection: "_Connection", target: WebhookTarget, post: OutgoingPost) -> int:
        try:
            status = await connection.exchange(target, post)
        except BaseException:
            connection.close()
            raise
        if connection.can_go_on():
            self._keep(target, connection)
        else:
            connection.close()
        return status

    def _keep(self, target: WebhookTarget, connection: "_Connection") -> None:
        """One connection per target. The oldest make room, and connections that are no longer fresh."""
        self._drop(target)
        for other in [other for other, kept in self._idle.items() if not kept.is_fresh()]:
            self._drop(other)
        if len(self._idle) >= _IDLE_MAX:
            self._drop(next(iter(self._idle)))
        self._idle[target] = connection

    def _drop(self, target: WebhookTarget) -> None:
        kept = self._idle.pop(target, None)
        if kept is not None:
            kept.close()

    async def _connect(self, target: WebhookTarget) -> "_Connection":
        check_literal(target, allow_private=self._settings.allow_private)
        found = await addresses(target, self._resolve, allow_private=self._settings.allow_private)
        secure = target.scheme == "https"
        failure: OSError | None = None
        for address in found:
            try:
                reader, writer = await asyncio.open_connection(
                    address,
                    target.port,
                    ssl=self._tls if secure else None,
                    # The certificate must be that of the name, not of the address.
                    server_hostname=target.host if secure else None,
                )
            except ssl.SSLError as error:
                raise _Failed(f"TLS with {target.host} failed: {error.reason or error}") from None
            except OSError as error:
                failure = error
            else:
                return _Connection(reader, writer)
        raise _Failed(f"{target.host} cannot be reached: {failure}")


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._h11 = h11.Connection(h11.CLIENT, max_incomplete_event_size=_ANSWER_BYTES_MAX)
        self._used_at = 0.0

    async def exchange(self, target: WebhookTarget, post: OutgoingPost) -> int:
        """Send the post; the status of the answer."""
        head = h11.Request(
            method="POST",
            target=target.path,
            headers=[
                ("Host", target.host_header),
                ("Content-Length", str(len(post.body))),
                *post.headers,
            ],
        )
        events: tuple[h11.Event, ...] = (head, h11.Data(data=post.body), h11.EndOfMessage())
        self._writer.write(b"".join(self._h11.send(event) or b"" for event in events))
        await self._writer.drain()
        status: int | None = None
        size = 0
        while True:
            event = self._h11.next_event()
            if event is h11.NEED_DATA:
                data = await self._reader.read(_READ_BYTES)
                if not data and status is None:
                    raise EOFError("the receiver hung up without an answer")
                self._h11.receive_data(data)
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                size += len(event.data)
                if size > _ANSWER_BYTES_MAX:
                    break
            elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
                break
        assert status is not None
        return status

    def can_go_on(self) -> bool:
        """Whether another post can follow; if so the connection is made ready for it."""
        if self._h11.our_state is not h11.DONE or self._h11.their_state is not h11.DONE:
            return False
        self._h11.start_next_cycle()
        self._used_at = asyncio.get_running_loop().time()
        return True

    def is_fresh(self) -> bool:
        age_s = asyncio.get_running_loop().time() - self._used_at
        return age_s < _IDLE_S_MAX and not self._reader.at_eof() and not self._writer.is_closing()

    def close(self) -> None:
        self._writer.close()
