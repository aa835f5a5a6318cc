"""A switch between network namespaces, in user space: what passes through it can be cut, delayed and lost.

    node in its namespace --veth--> [switch] --veth--> node in another namespace

It works on whole packets, so the nodes' own TCP does what it does on a bad network: it sends again, backs
off, gives up. `tc netem` could do most of this, but many kernels come without it.
"""

import contextlib
import heapq
import random
import select
import socket
import threading
import time
from collections.abc import Iterable
from itertools import count

from chaos.network import Way

_PACKET_OUTGOING = 4
_ETH_P_ALL = 0x0003
_FRAME_BYTES_MAX = 65_535
_BROADCAST = b"\xff" * 6


class Switch:
    """A thread that carries frames between devices of this machine, each of which leads to one node."""

    def __init__(self) -> None:
        self._ports: dict[str, socket.socket] = {}
        self._by_address: dict[bytes, str] = {}
        #: Frames on their way: when due, order, to whom, what.
        self._waiting: list[tuple[float, int, str, bytes]] = []
        self._order = count()
        self._lock = threading.Lock()
        self._cut: frozenset[Way] = frozenset()
        self._delay_s = 0.0
        self._lost_share = 0.0
        self._chance = random.Random()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def plug(self, node_id: str, device: str, address: bytes) -> None:
        """Through this device the node with this hardware address is reached."""
        port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
        port.bind((device, 0))
        port.setblocking(False)
        self._ports[node_id] = port
        self._by_address[address] = node_id

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10)
        for port in self._ports.values():
            port.close()

    # What goes wrong

    def cut(self, ways: Iterable[Way]) -> None:
        with self._lock:
            self._cut = frozenset(ways)

    def slow(self, seconds: float) -> None:
        with self._lock:
            self._delay_s = seconds

    def lose(self, share: float) -> None:
        with self._lock:
            self._lost_share = share

    # Carrying

    def _run(self) -> None:
        names = {port: node_id for node_id, port in self._ports.items()}
        while not self._stop.is_set():
            due_in_s = self._waiting[0][0] - time.monotonic() if self._waiting else 0.05
            ready, _, _ = select.select(list(names), [], [], min(max(due_in_s, 0.0), 0.05))
            for port in ready:
                self._read(names[port], port)
            now_s = time.monotonic()
            while self._waiting and self._waiting[0][0] <= now_s:
                _, _, target, frame = heapq.heappop(self._waiting)
                # A full queue drops what does not fit, as any switch does.
                with contextlib.suppress(OSError):
                    self._ports[target].send(frame)

    def _read(self, source: str, port: socket.socket) -> None:
        while True:
            try:
                frame, (_, _, kind, _, _) = port.recvfrom(_FRAME_BYTES_MAX)
            except OSError:  # Nothing left; or the node's end of the wire is down.
                return
            if kind != _PACKET_OUTGOING:
                self._take(source, frame)

    def _take(self, source: str, frame: bytes) -> None:
        target = self._by_address.get(frame[:6])
        targets = [target] if target else [other for other in self._ports if other != source]
        if target is None and frame[:6] != _BROADCAST:
            return  # For some group of receivers; nodes speak to one another only.
        with self._lock:
            due_s = time.monotonic() + self._delay_s
            for to in targets:
                is_lost = self._lost_share > 0 and self._chance.random() < self._lost_share
                if to != source and (source, to) not in self._cut and not is_lost:
                    heapq.heappush(self._waiting, (due_s, next(self._order), to, frame))
