"""Links like TCP: in order, with latency, silent when blocked, and gone after a while of silence."""

import random
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from corvo.consensus.link import codec
from corvo.consensus.link.protocol import PeerMessage
from tests.sim.timeline import Timeline, Violation

#: A blocked connection is given up after this long, and a lost one is dialled again after up to this long.
SILENCE_S = 1.0
REDIAL_S_MAX = 0.4
ROOM_BYTES = 64 * 1024


class Process(Protocol):
    """What the network sees of a running node."""

    def connected(self, peer: str) -> None: ...

    def disconnected(self, peer: str) -> None: ...

    def deliver(self, peer: str, message: PeerMessage, size: int) -> None: ...


class _Pipe:
    """One direction of a connection."""

    def __init__(self) -> None:
        self.frames: deque[tuple[float, bytes]] = deque()
        self.last_s = 0.0
        self.bytes_queued = 0


class Network:
    def __init__(
        self, timeline: Timeline, chance: random.Random, ids: list[str], *, latency_s: float
    ) -> None:
        self._timeline = timeline
        self._chance = chance
        self._ids = ids
        self._latency_s = latency_s
        self._processes: dict[str, Process] = {}
        #: Directions that nothing passes at the moment.
        self._blocked: set[tuple[str, str]] = set()
        self._pipes: dict[tuple[str, str], _Pipe] = {}
        self.messages = 0
        #: Called once, with sender and receiver, when the next chunk of a snapshot is under way.
        self.on_chunk: Callable[[str, str], None] | None = None

    def link_of(self, node_id: str) -> "SimLink":
        return SimLink(self, node_id)

    # Processes

    def came_up(self, node_id: str, process: Process) -> None:
        self._processes[node_id] = process
        for other in self._ids:
            if other in self._processes and other != node_id:
                self._dial(node_id, other)

    def went_down(self, node_id: str) -> None:
        del self._processes[node_id]
        for other in self._ids:
            if (node_id, other) in self._pipes:
                self._disconnect(node_id, other)

    # Faults

    def block(self, directions: set[tuple[str, str]]) -> None:
        self._blocked = directions
        # In an order that does not hang on how Python hashes text: a seed must tell one story everywhere.
        for source, target in sorted(directions):
            self._timeline.after(SILENCE_S, lambda a=source, b=target: self._give_up(a, b))

    def heal(self) -> None:
        healed, self._blocked = self._blocked, set()
        for source, target in sorted(healed):
            self._flow(source, target)

    def reset(self, a: str, b: str) -> None:
        if (a, b) in self._pipes:
            self._disconnect(a, b)
            self._dial(a, b)

    # Data

    def send(self, source: str, target: str, message: PeerMessage) -> bool:
        pipe = self._pipes.get((source, target))
        if pipe is None:
            return False
        data = codec.encode(message)
        self.messages += 1
        if self.on_chunk is not None and message["type"] == "snapshot_chunk":
            trigger, self.on_chunk = self.on_chunk, None
            trigger(source, target)
        pipe.last_s = max(pipe.last_s, self._timeline.now() + self._chance.random() * self._latency_s)
        pipe.frames.append((pipe.last_s, data))
        pipe.bytes_queued += len(data)
        self._timeline.at(pipe.last_s, lambda: self._flow(source, target))
        return True

    def connected_to(self, node_id: str) -> list[str]:
        return [other for other in self._ids if (node_id, other) in self._pipes]

    def bytes_queued(self, source: str, target: str) -> int:
        pipe = self._pipes.get((source, target))
        return 0 if pipe is None else pipe.bytes_queued

    def _flow(self, source: str, target: str) -> None:
        pipe = self._pipes.get((source, target))
        while pipe is not None and pipe.frames and pipe.frames[0][0] <= self._timeline.now():
            if (source, target) in self._blocked:
                return
            _, data = pipe.frames.popleft()
            pipe.bytes_queued -= len(data)
            self._processes[target].deliver(source, codec.decode(data), len(data))

    # Connections

    def _dial(self, a: str, b: str) -> None:
        self._timeline.after(self._chance.random() * REDIAL_S_MAX, lambda: self._connect(a, b))

    def _connect(self, a: str, b: str) -> None:
        if a not in self._processes or b not in self._processes or (a, b) in self._pipes:
            return
        if {(a, b), (b, a)} & self._blocked:
            self._dial(a, b)
            return
        self._pipes[a, b] = _Pipe()
        self._pipes[b, a] = _Pipe()
        self._processes[a].connected(b)
        self._processes[b].connected(a)

    def _disconnect(self, a: str, b: str) -> None:
        del self._pipes[a, b], self._pipes[b, a]
        for node_id, other in ((a, b), (b, a)):
            if node_id in self._processes:
                self._processes[node_id].disconnected(other)

    def _give_up(self, source: str, target: str) -> None:
        if (source, target) in self._blocked and (source, target) in self._pipes:
            self._disconnect(source, target)
            self._dial(source, target)


class SimLink:
    """One node's end of the network."""

    def __init__(self, network: Network, node_id: str) -> None:
        self._network = network
        self._node_id = node_id
        self.is_dead = False

    def send(self, peer: str, message: PeerMessage) -> bool:
        return not self.is_dead and self._network.send(self._node_id, peer, message)

    def has_room(self, peer: str) -> bool:
        return self._network.bytes_queued(self._node_id, peer) < ROOM_BYTES

    def set_peers(self, addresses: Mapping[str, str], keys: Mapping[str, str]) -> None:
        """Everybody is connected with everybody here; whom to listen to is for the engine to say. But a node
        must be known by the key it has, or not yet."""
        for peer, key in keys.items():
            if key not in ("", key_of(peer)):
                raise Violation(f"{self._node_id} knows {peer} by the key {key!r}")

    def proven_keys(self) -> Mapping[str, str]:
        return {peer: key_of(peer) for peer in self._network.connected_to(self._node_id)}


def key_of(node_id: str) -> str:
    return f"key of {node_id}"
