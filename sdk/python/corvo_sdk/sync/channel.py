"""One connection for threads: one request at a time, and the answer to it."""

import socket
import ssl
import sys
from typing import Self

from corvo_sdk.http1 import Answer, AnswerReader
from corvo_sdk.origin import Origin
from corvo_sdk.readiness import readable, readable_or_writable

_READ_BYTES = 64 * 1024
#: A plain socket takes what it has room for; TLS takes all it is given, or waits.
_TLS_PIECE_BYTES = 16 * 1024


class Channel:
    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._timeout_s = sock.gettimeout()
        self._is_tls = isinstance(sock, ssl.SSLSocket)
        self._piece_bytes = _TLS_PIECE_BYTES if self._is_tls else sys.maxsize
        self.open = True
        #: By time.monotonic(); for whoever keeps it.
        self.idle_since = 0.0

    @classmethod
    def dial(cls, origin: Origin) -> Self:
        """Raises OSError."""
        sock = socket.create_connection((origin.host, origin.port), origin.connect_s)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            context = origin.tls()
            if context is not None:
                sock = context.wrap_socket(sock, server_hostname=origin.host)
        except BaseException:
            sock.close()
            raise
        return cls(sock)

    def exchange(self, request: bytes, method: str, silence_s: float, write_s: float) -> Answer:
        """Raises OSError or BadAnswer. Use it again only if it is still open afterwards."""
        reader = AnswerReader(method)
        try:
            self._patience(write_s)
            all_sent, answer = self._send(request, reader, write_s)
            self._patience(silence_s)
            while answer is None:
                answer = reader.feed(self._socket.recv(_READ_BYTES))
        except BaseException:
            self.close()
            raise
        if not (answer.reusable and all_sent):
            self.close()
        return answer

    def fit(self) -> bool:
        """Nobody hung up, and nobody said what was not asked for."""
        return not readable(self._socket.fileno())

    def close(self) -> None:
        self.open = False
        self._socket.close()

    def _patience(self, timeout_s: float) -> None:
        # A call to the system each time, and nearly always for the same value.
        if self._timeout_s != timeout_s:
            self._socket.settimeout(timeout_s)
            self._timeout_s = timeout_s

    # Sending

    def _send(self, request: bytes, reader: AnswerReader, write_s: float) -> tuple[bool, Answer | None]:
        """Whether all was sent, and the answer if it was faster. Who had enough of it may have said why."""
        left = memoryview(request)
        try:
            left = left[self._socket.send(left[: self._piece_bytes]) :]
            while left:
                # It may be the beginning of an answer, or just a word that the rest is welcome.
                heard = self._heard(write_s)
                answer = None if heard is None else reader.feed(heard)
                if answer is not None:
                    return False, answer
                if heard is None:
                    left = left[self._socket.send(left[: self._piece_bytes]) :]
        except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return False, None
        return True, None

    def _heard(self, write_s: float) -> bytes | None:
        """What the server says before all is sent; None when more can be sent."""
        while True:
            answered, writable = readable_or_writable(self._socket.fileno(), write_s)
            if not (answered or writable):
                raise TimeoutError("timed out")
            if not answered:
                return None
            if not self._is_tls:
                return self._socket.recv(_READ_BYTES)
            # What can be read may be a word of TLS itself.
            self._patience(0.0)
            try:
                return self._socket.recv(_READ_BYTES)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                if writable:
                    return None
            finally:
                self._patience(write_s)
