"""One connection to another node: TLS or Noise, a greeting, then frames both ways until one side closes.

    mesh -> [connection] ~~~ [connection] -> mesh

Nothing a stranger sends gets further than here. Data is handed on the moment it arrives, in the same turn
of the loop, so heartbeats that came in while the loop was away are seen before an election is held.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol, cast

import structlog

from corvo.consensus.identity import NodeIdentity
from corvo.consensus.link import codec, frames
from corvo.consensus.link.codec import MESSAGE_BYTES_MAX, Malformed
from corvo.consensus.link.frames import FrameTooLarge, LinkFrameReader
from corvo.consensus.link.hello import HELLO_BYTES_MAX, PROTOCOL, Hello, Stranger, check, check_certificate
from corvo.consensus.link.manner import Manner
from corvo.consensus.link.noise import TAG_BYTES, Handshake, NoiseCipher, NoiseFailed
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.settings import MIB, Tls

log = structlog.get_logger()

#: Bytes waiting to be sent beyond which no bulk data is added.
BUFFER_BYTES_SOFT: Final = 8 * MIB
#: Bytes waiting beyond which the peer is cut off: it does not read, and would fill the memory.
BUFFER_BYTES_HARD: Final = 64 * MIB
#: Bytes waiting beyond which no mail is added, so that a heartbeat never waits behind much of it.
MAIL_BYTES_SOFT: Final = MIB // 2
#: An empty frame: says only that the connection lives.
PING: Final = b""


class Owner(Protocol):
    """The mesh, as a connection sees it."""

    hello: Hello
    tls: Tls | None
    #: Made from the cluster's secret, and from the other one while it is being changed.
    link_keys: tuple[bytes, ...]
    #: What this node proves its name with under the secret.
    identity: NodeIdentity | None

    def expects(self, connection: "Connection", hello: Hello) -> bool: ...

    def greeted(self, connection: "Connection") -> None: ...

    def received(self, connection: "Connection", message: PeerMessage, size: int) -> bool: ...

    def has_room_again(self, connection: "Connection") -> None: ...

    def closed(self, connection: "Connection") -> None: ...


class Connection(asyncio.Protocol):
    def __init__(
        self,
        owner: Owner,
        now: Callable[[], float],
        *,
        dialled: str | None,
        manner: Manner | None = None,
    ) -> None:
        self._owner = owner
        self._now = now
        #: The node this one dialled, or None if the other side did.
        self.dialled = dialled
        #: How the dialler speaks. A listener answers as it is spoken to.
        self.manner = manner or Manner()
        #: Set once the other side has said who it is, and proven what the link asks for.
        self.peer: str | None = None
        #: The key that the other side has proven to have, in hex; empty if it has shown none.
        self.proven_key = ""
        self.is_visitor = False
        #: When both had greeted.
        self.greeted_s = self.last_heard_s = self.last_said_s = now()
        self._reader = LinkFrameReader(HELLO_BYTES_MAX)
        self._transport: asyncio.Transport | None = None
        self._securing: asyncio.Task[None] | None = None
        self._handshake: Handshake | None = None
        self._seal: NoiseCipher | None = None
        self._transcript = b""
        self._is_paused = False
        self._is_unwanted = False

    # What the mesh asks

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def has_shaken_hands(self) -> bool:
        """For the dialler: whether the other side has proven to know the secret. A listener knows that only
        once it was greeted, for a first message may be a recorded one."""
        return self._seal is not None

    @property
    def is_paused(self) -> bool:
        """Whether this side does not read at the moment, so that the peer's silence means nothing."""
        return self._is_paused

    @property
    def bytes_waiting(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def send(self, body: bytes) -> bool:
        if self._transport is None or self._transport.is_closing():
            return False
        if self._transport.get_write_buffer_size() > BUFFER_BYTES_HARD:
            self.abort("it does not read what it is sent")
            return False
        self._write(body if self._seal is None else self._seal.close_up(body))
        return True

    def _write(self, body: bytes) -> None:
        assert self._transport is not None
        for piece in frames.pieces(body):
            self._transport.write(piece)
        self.last_said_s = self._now()

    def resume(self) -> None:
        if self._is_paused and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()
            self._read_frames()

    def close(self) -> None:
        """Close once everything that was sent is written."""
        self._is_unwanted = True
        if self._transport is not None:
            self._transport.close()
        if self._securing is not None:
            self._securing.cancel()

    def abort(self, reason: str) -> None:
        self._is_unwanted = True
        if self._transport is not None and not self._transport.is_closing():
            if self.peer is not None:
                log.warning("link.closed", peer=self.peer, reason=reason)
            self._transport.abort()
        if self._securing is not None:
            self._securing.cancel()

    # What asyncio tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if self._is_unwanted:
            self._transport.abort()
        elif self._owner.tls is None:
            self._begin()
        else:
            # Begun here rather than by the listener, so that a handshake that fails is seen to end too.
            self._transport.pause_reading()
            self._securing = asyncio.get_running_loop().create_task(self._secure(self._owner.tls))

    def data_received(self, data: bytes) -> None:
        self.last_heard_s = self._now()
        self._reader.feed(data)
        if self._securing is None:
            self._read_frames()

    def resume_writing(self) -> None:
        self._owner.has_room_again(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._owner.closed(self)

    # Beginning

    async def _secure(self, tls: Tls) -> None:
        assert self._transport is not None
        is_server = self.dialled is None
        try:
            self._transport = await asyncio.get_running_loop().start_tls(
                self._transport,
                self,
                tls.server if is_server else tls.client,
                server_side=is_server,
                server_hostname=None if is_server else "",
            )
        except OSError as error:  # Errors of TLS are among them.
            log.warning("link.refused", peer=self.dialled, reason=str(error))
            return  # The transport is closed already, and `connection_lost` follows.
        self._securing = None
        self._begin()

    def _begin(self) -> None:
        assert self._transport is not None
        # Below what mail waits for, so that `resume_writing` always comes when mail waits.
        self._transport.set_write_buffer_limits(MAIL_BYTES_SOFT // 2)
        if self._owner.link_keys:
            keys = self.manner.keys_in_order(self._owner.link_keys)
            self._handshake = Handshake(*keys, is_dialler=self.dialled is not None)
        if self.dialled is not None:
            if self._handshake is None:
                self._greet_them()
            else:
                self._write(self._handshake.say())
        # The other side may have said something before this side knew that it is secure.
        self._read_frames()

    def _shake_hands(self, handshake: Handshake, frame: bytes) -> None:
        handshake.hear(frame)
        if self.dialled is None:
            self._write(handshake.say())
        self._seal, self._handshake = handshake.seal(), None
        self._transcript = handshake.transcript
        if self.dialled is not None:
            self._greet_them()

    def _greet_them(self) -> None:
        hello, identity = replace(self._owner.hello, protocol=self.manner.protocol), self._owner.identity
        if identity is not None and self._seal is not None and self.manner.protocol >= PROTOCOL:
            hello = hello.signed(identity, self._transcript, is_dialler=self.dialled is not None)
        self.send(hello.encode())

    # Frames

    def _read_frames(self) -> None:
        try:
            while self.is_open and not self._is_paused and (frame := self._reader.next()) is not None:
                self._handle(frame)
        except (FrameTooLarge, NoiseFailed, Stranger, Malformed) as error:
            log.warning("link.refused", peer=self.peer or self.dialled, reason=str(error))
            self.abort(str(error))

    def _handle(self, frame: bytes) -> None:
        if self._handshake is not None:
            self._shake_hands(self._handshake, frame)
            return
        if self._seal is not None:
            frame = self._seal.open_up(frame)
        if self.peer is None:
            self._greet(Hello.decode(frame))
        elif frame != PING:
            message = codec.decode(frame)
            if not self._owner.received(self, message, len(frame)):
                self._pause()

    def _greet(self, theirs: Hello) -> None:
        assert self._transport is not None
        check(theirs, self._owner.hello)
        if self._owner.tls is not None:
            check_certificate(theirs, self._transport.get_extra_info("ssl_object"))
        if theirs.key and self._seal is not None:
            if not theirs.is_proven(self._transcript, is_dialler=self.dialled is None):
                raise Stranger(f"it says it is {theirs.node_id} and does not prove it")
            self.proven_key = theirs.key.hex()
        if not self._owner.expects(self, theirs):
            raise Stranger(f"{theirs.node_id} is not expected here")
        if self.dialled is None:
            self.manner = replace(self.manner, protocol=theirs.protocol)
            self._greet_them()
        self.peer, self.greeted_s = theirs.node_id, self._now()
        self.is_visitor = theirs.is_visitor
        self._reader.bytes_max = MESSAGE_BYTES_MAX + TAG_BYTES
        self._owner.greeted(self)

    def _pause(self) -> None:
        assert self._transport is not None
        self._is_paused = True
        self._transport.pause_reading()
