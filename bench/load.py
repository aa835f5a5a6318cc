"""A load generator that costs little: canned requests over keep-alive connections, one epoll loop."""

import selectors
import socket
import time
from dataclasses import dataclass, field


@dataclass
class Result:
    requests: int = 0
    failures: int = 0
    seconds: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)
    #: Of those that failed.
    refusals_ms: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds

    def quantile_ms(self, share: float) -> float:
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def request_bytes(method: str, path: str, body: bytes) -> bytes:
    lines = (
        f"{method} {path} HTTP/1.1",
        "host: localhost",
        "content-type: application/json",
        f"content-length: {len(body)}",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def exchange(port: int, request: bytes) -> bytes:
    """One request and its whole answer."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        data = b""
        while not _is_complete(data):
            data += connection.recv(65_536)
    return data


def run(
    port: int, request: bytes, *, connections: int, seconds: float, good: bytes = b"HTTP/1.1 2"
) -> Result:
    """Every connection sends, waits for the answer, sends again."""
    selector = selectors.DefaultSelector()
    sent_at: dict[socket.socket, float] = {}
    buffers: dict[socket.socket, bytes] = {}
    for _ in range(connections):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(connection, selectors.EVENT_READ)
        buffers[connection] = b""
    result = Result()
    began = time.perf_counter()
    for connection in buffers:
        sent_at[connection] = time.perf_counter()
        connection.sendall(request)
    end = began + seconds
    while True:
        now = time.perf_counter()
        if now >= end:
            break
        for key, _ in selector.select(end - now):
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            data = buffers[connection] + connection.recv(65_536)
            if not _is_complete(data):
                buffers[connection] = data
                continue
            buffers[connection] = b""
            now = time.perf_counter()
            result.requests += 1
            took_ms = (now - sent_at[connection]) * 1_000
            if data.startswith(good):
                result.latencies_ms.append(took_ms)
            else:
                result.failures += 1
                result.refusals_ms.append(took_ms)
            sent_at[connection] = now
            connection.sendall(request)
    result.seconds = time.perf_counter() - began
    for connection in buffers:
        connection.close()
    return result


def _is_complete(data: bytes) -> bool:
    head, separator, body = data.partition(b"\r\n\r\n")
    if not separator:
        return False
    at = head.lower().find(b"content-length:")
    if at < 0:
        return True
    length = int(head[at + 15 :].split(b"\r\n", 1)[0])
    return len(body) >= length
