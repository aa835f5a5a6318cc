"""What happened when: blows that nodes took, who led, how much was done. Filled while a trial runs."""

import threading
import time
from dataclasses import dataclass, field

from chaos.group import Group
from chaos.history import History

#: How often the nodes are asked how they are.
_LOOK_S = 0.5


@dataclass(frozen=True)
class Blow:
    """Something that went wrong on purpose. Times are of the monotonic clock."""

    begin_s: float
    end_s: float
    nemesis: str
    #: None if it hit all.
    victim: str | None
    words: str


@dataclass(frozen=True)
class Look:
    """How things stood at a moment."""

    at_s: float
    accepted: int
    acked: int
    #: Nodes that said they lead, and in which term.
    leaders: dict[str, int]


@dataclass
class Timeline:
    began_s: float = field(default_factory=time.monotonic)
    ended_s: float = 0.0
    nodes: list[str] = field(default_factory=list)
    blows: list[Blow] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    #: When nobody could write.
    pauses: list[tuple[float, float]] = field(default_factory=list)


class Watcher:
    """A thread that looks at everything twice a second."""

    def __init__(self, group: Group, history: History, timeline: Timeline) -> None:
        self._group = group
        self._history = history
        self._timeline = timeline
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        while not self._stop.wait(_LOOK_S):
            self.look()

    def look(self) -> None:
        leaders: dict[str, int] = {}
        for node_id in self._group.servers:
            body = self._group.status(node_id, timeout_s=1.0)
            if body is not None and body["state"] == "Leader":
                leaders[node_id] = body["term"]
        accepted, acked = len(self._history.accepted), len(self._history.acked)
        self._timeline.looks.append(Look(time.monotonic(), accepted, acked, leaders))
