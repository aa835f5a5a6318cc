"""What lies between the nodes of a trial, and can go wrong.

Two networks look alike: `links.Links` carries bytes between ports of this machine and needs no rights;
`namespaces.Namespaces` carries packets between network namespaces and needs root.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

#: A direction: from one node to another.
Way = tuple[str, str]


class Place(NamedTuple):
    """Where a node lives."""

    http_host: str
    http_port: int
    raft_bind: str
    #: The address under which other nodes find it; whatever goes wrong goes wrong there.
    raft_advertise: str
    #: What to put in front of its command.
    before: tuple[str, ...] = ()


class Network(Protocol):
    def place(self, node_id: str) -> Place:
        """Make room for a node; before `start`."""
        ...

    def start(self, running: Callable[[], dict[int, str]]) -> None:
        """Carry, from now on, between the processes that this says are running, by process id."""
        ...

    def close(self) -> None: ...

    def cut(self, ways: Iterable[Way]) -> None:
        """Nothing passes in these directions, and everything in all others."""
        ...

    def slow(self, seconds: float) -> None:
        """Everything takes so much longer."""
        ...

    def lose(self, share: float) -> None:
        """So much of it has to be sent again."""
        ...

    def heal(self) -> None: ...


def around(victim: str, node_ids: Iterable[str]) -> tuple[set[Way], set[Way]]:
    """The ways out of a node, and the ways into it."""
    others = [node_id for node_id in node_ids if node_id != victim]
    return {(victim, other) for other in others}, {(other, victim) for other in others}
