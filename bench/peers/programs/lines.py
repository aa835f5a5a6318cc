"""A connection that speaks in lines, for the peers whose protocol is simple enough to speak it here."""

import socket


class Lines:
    def __init__(self, server: str) -> None:
        host, _, port = server.rpartition(":")
        self._socket = socket.create_connection((host, int(port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("rb")

    def say(self, data: bytes) -> None:
        self._socket.sendall(data)

    def line(self) -> bytes:
        text = self._file.readline()
        if not text.endswith(b"\r\n"):
            raise ConnectionError("the server is gone")
        return text[:-2]

    def read(self, count: int) -> bytes:
        """So many bytes, and the end of their line."""
        text = self._file.read(count + 2)
        if len(text) < count + 2:
            raise ConnectionError("the server is gone")
        return text[:-2]
