"""Links between nodes that can be cut, slowed, made lossy and cut one way, without any rights on the machine.

    node --> [proxy of the other node] --> the other node

Every node advertises the address of a proxy in place of its own. Whoever connects there is found out by its
process, so that each pair of nodes and each direction can be treated apart.
"""

import os
import random
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from chaos.network import Place, Way
from chaos.process import free_port

#: How long TCP takes to notice that something got lost, on a fast network: the kernel's shortest timeout.
RESENT_AFTER_S = 0.2


class Links:
    """A thread that carries all bytes between the nodes of a group."""

    def __init__(self) -> None:
        #: Process ids of the running nodes, and their names.
        self._running: Callable[[], dict[int, str]] = dict
        self._selector = selectors.DefaultSelector()
        self._targets: dict[socket.socket, tuple[str, int]] = {}
        self._pipes: dict[socket.socket, _Pipe] = {}
        self._lock = threading.Lock()
        #: Directions, from and to, in which nothing passes.
        self._cut: set[Way] = set()
        self._delay_s = 0.0
        self._lost_share = 0.0
        self._chance = random.Random()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def place(self, node_id: str) -> Place:
        port = free_port()
        proxy = self._listen_for(node_id, port)
        return Place("127.0.0.1", free_port(), f"127.0.0.1:{port}", f"127.0.0.1:{proxy}")

    def _listen_for(self, node_id: str, port: int) -> int:
        """A port at which this node is found from now on."""
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setblocking(False)
        self._targets[listener] = (node_id, port)
        self._selector.register(listener, selectors.EVENT_READ)
        own_port: int = listener.getsockname()[1]
        return own_port

    def start(self, running: Callable[[], dict[int, str]]) -> None:
        self._running = running
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10)
        for end in [*self._targets, *self._pipes]:
            end.close()
        self._selector.close()

    # What goes wrong

    def cut(self, ways: Iterable[Way]) -> None:
        with self._lock:
            self._cut = set(ways)

    def slow(self, seconds: float) -> None:
        with self._lock:
            self._delay_s = seconds

    def lose(self, share: float) -> None:
        """What is lost of a stream comes late, and what is behind it has to wait."""
        with self._lock:
            self._lost_share = share

    def heal(self) -> None:
        self.cut(())
        self.slow(0.0)
        self.lose(0.0)

    # Carrying

    def _run(self) -> None:
        while not self._stop.is_set():
            for key, _ in self._selector.select(0.005):
                end = key.fileobj
                assert isinstance(end, socket.socket)
                if end in self._targets:
                    self._accept(end)
                elif end in self._pipes:
                    self._read(end)
            with self._lock:
                cut = set(self._cut)
            for pipe in list(self._pipes.values()):
                if pipe.way not in cut and not pipe.deliver():
                    self._hang_up(pipe)

    def _accept(self, listener: socket.socket) -> None:
        near, address = listener.accept()
        target, port = self._targets[listener]
        source = self._who_is(address[1])
        try:
            far = socket.create_connection(("127.0.0.1", port), timeout=1)
        except OSError:
            near.close()
            return
        for end, other, way in ((near, far, (source, target)), (far, near, (target, source))):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pipes[end] = _Pipe(end, other, way)
            self._selector.register(end, selectors.EVENT_READ)

    def _read(self, end: socket.socket) -> None:
        pipe = self._pipes[end]
        try:
            data = end.recv(262_144)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._hang_up(pipe)
            return
        with self._lock:
            is_lost = self._lost_share > 0 and self._chance.random() < self._lost_share
            delay_s = self._delay_s + (RESENT_AFTER_S if is_lost else 0.0)
        pipe.waiting.append((time.monotonic() + delay_s, data))

    def _hang_up(self, pipe: "_Pipe") -> None:
        for end in (pipe.source, pipe.sink):
            if end in self._pipes:
                del self._pipes[end]
                self._selector.unregister(end)
                end.close()

    def _who_is(self, port: int) -> str:
        """The node whose process has a socket with this local port."""
        wanted = f":{port:04X}"
        inodes = {
            fields[9]
            for fields in map(str.split, Path("/proc/net/tcp").read_text().splitlines()[1:])
            if fields[1].endswith(wanted)
        }
        for pid, node_id in self._running().items():
            if any(_inode(pid, name) in inodes for name in _descriptors(pid)):
                return node_id
        return "?"


class _Pipe:
    """One direction of a connection: what came from one end and has not gone out at the other."""

    def __init__(self, source: socket.socket, sink: socket.socket, way: Way) -> None:
        self.source = source
        self.sink = sink
        self.way = way
        self.waiting: deque[tuple[float, bytes]] = deque()

    def deliver(self) -> bool:
        """Pass on what is due. False if the other end is gone."""
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            due_s, data = self.waiting[0]
            try:
                sent = self.sink.send(data)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if sent < len(data):
                self.waiting[0] = (due_s, data[sent:])
                return True
            self.waiting.popleft()
        return True


def _descriptors(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return []


def _inode(pid: int, name: str) -> str | None:
    try:
        link = os.readlink(f"/proc/{pid}/fd/{name}")
    except OSError:
        return None
    return link[8:-1] if link.startswith("socket:[") else None
