"""Where `corvo top` gets its news: one stream of events and counters, and a look at the rest now and then."""

import threading
from collections.abc import Callable
from typing import Any

from corvo.cli.problems import Problem
from corvo.cli.request.client import Api, Target
from corvo.cli.request.event_stream import connected

_LOOK_EVERY_S = 2.0
_PAUSE_S = 1.0
JOBS_SHOWN = 100

#: What the feed tells: a word, and what belongs to it.
TellApp = Callable[[str, Any], None]


class TopFeed:
    def __init__(self, target: Target, tell: TellApp) -> None:
        self._target = target
        self._tell = tell
        self._stopped = threading.Event()
        self._hurry = threading.Event()
        self._filter: dict[str, Any] = {}

    def start(self) -> None:
        for work in (self._listen, self._look):
            # A thread that waits for the network must not keep the terminal when the user leaves.
            threading.Thread(target=work, daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()
        self._hurry.set()

    def search(self, filter_: dict[str, Any]) -> None:
        self._filter = filter_
        self.hurry()

    def hurry(self) -> None:
        """Something was changed: look now."""
        self._hurry.set()

    def _listen(self) -> None:
        api = Api(self._target)
        last_seq: int | None = None
        while not self._stopped.is_set():
            try:
                for event in connected(api, last_event_id=last_seq, counters="true"):
                    if self._stopped.is_set():
                        return
                    last_seq = last_seq if event.seq is None else event.seq
                    if event.data is None:
                        self._tell("trouble", "")
                    elif event.kind == "counters":
                        self._tell("counters", event.data["queues"])
                    elif event.seq is not None:
                        self._tell("event", event.data)
            except Problem as problem:
                self._tell("trouble", problem.message)
            self._stopped.wait(_PAUSE_S)

    def _look(self) -> None:
        api = Api(self._target)
        while not self._stopped.is_set():
            self._hurry.clear()
            try:
                self._tell("cluster", api.get("/api/v1/cluster/status"))
                self._tell("queues", api.get("/api/v1/queues"))
                self._tell("workers", api.get("/api/v1/workers"))
                self._tell("jobs", api.ask("/api/v1/jobs/search", self._filter | {"limit": JOBS_SHOWN}))
            except Problem as problem:
                self._tell("trouble", problem.message)
            self._hurry.wait(_LOOK_EVERY_S)
