"""What `corvo top` knows, and how it changes. No terminal and no network in here."""

from collections import deque
from collections.abc import Iterable
from typing import Any

_BARS = "▁▂▃▄▅▆▇█"
#: Points of a sparkline, one per second.
_POINTS = 30
_EVENTS_KEPT = 500


class Model:
    def __init__(self) -> None:
        self.queues: dict[str, dict[str, Any]] = {}
        self.events: deque[dict[str, Any]] = deque(maxlen=_EVENTS_KEPT)
        self.workers: list[dict[str, Any]] = []
        self.cluster: dict[str, Any] = {}
        self.jobs: list[dict[str, Any]] = []
        #: Why nothing comes at the moment; empty if all is well.
        self.trouble = "connecting"
        #: Completed per second, the latest last: of each queue, and of all under "".
        self._paces: dict[str, deque[int]] = {}
        self._totals: dict[str, int] = {}

    # What comes in

    def hear(self, word: str, content: Any) -> None:
        """News of the feed."""
        match word:
            case "queues":
                self.replace_queues(content)
            case "counters":
                self.update_queues(content)
            case "event":
                self.add_event(content)
            case "workers":
                self.workers = content
            case "cluster":
                self.cluster = content
            case "jobs":
                self.jobs = content["jobs"]
            case "trouble":
                self.trouble = content
            case _:
                raise AssertionError(f"unknown news: {word}")

    def replace_queues(self, queues: Iterable[dict[str, Any]]) -> None:
        """Take the list of all queues: those that are not in it are gone."""
        self.queues = {queue["name"]: queue for queue in queues}

    def update_queues(self, queues: Iterable[dict[str, Any]]) -> None:
        """Take queues that changed. Rates come only with the whole list, and stay until the next one."""
        for queue in queues:
            known = self.queues.get(queue["name"], {})
            kept = {"rates": known["rates"]} if "rates" in known else {}
            self.queues[queue["name"]] = kept | queue

    def add_event(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        if event["type"] == "queue.deleted":
            self.queues.pop(event.get("queue", ""), None)

    def tick(self) -> None:
        """A second has passed."""
        everything = 0
        for name, queue in self.queues.items():
            total = queue["completed_total"]
            done = max(0, total - self._totals.get(name, total))
            self._totals[name] = total
            everything += done
            self._pace(name).append(done)
        self._pace("").append(everything)
        for gone in self._paces.keys() - self.queues.keys() - {""}:
            del self._paces[gone]
            self._totals.pop(gone, None)

    def _pace(self, name: str) -> deque[int]:
        return self._paces.setdefault(name, deque(maxlen=_POINTS))

    # What is shown

    def spark(self, queue: str = "") -> str:
        return sparkline(self._paces.get(queue, ()))

    def per_second(self) -> float:
        """Completed per second, over the last ten."""
        recent = list(self._paces.get("", ()))[-10:]
        return sum(recent) / len(recent) if recent else 0.0

    def queue_rows(self, needle: str) -> list[dict[str, Any]]:
        return [queue for name, queue in sorted(self.queues.items()) if needle in name]

    def is_paused(self, queue: str) -> bool | None:
        """None if it is gone, though it may still be on the screen."""
        known = self.queues.get(queue)
        return None if known is None else bool(known["paused"])

    def event_rows(self, needle: str) -> list[dict[str, Any]]:
        """Newest first."""
        return [event for event in reversed(self.events) if not needle or needle in str(event)]

    def job_rows(self, _: str) -> list[dict[str, Any]]:
        """The server has filtered them."""
        return self.jobs

    def node_rows(self, _: str) -> list[dict[str, Any]]:
        """Too few to filter."""
        nodes: list[dict[str, Any]] = self.cluster.get("nodes", [])
        return nodes

    def worker_rows(self, needle: str) -> list[dict[str, Any]]:
        return [worker for worker in self.workers if not needle or needle in str(worker)]

    def heading(self) -> str:
        counts = {
            state: sum(queue[state] for queue in self.queues.values())
            for state in ("pending", "active", "retrying", "dead")
        }
        words = "  ".join(f"{count:,} {state}" for state, count in counts.items())
        status = self.cluster.get("status", "")
        return f"{status}  {words}  {self.per_second():.1f}/s {self.spark()}  {self.trouble}".strip()


def sparkline(points: Iterable[int]) -> str:
    """Bars from the smallest to the highest; nothing at all is the lowest bar."""
    numbers = list(points)
    most = max(numbers, default=0)
    if not most:
        return _BARS[0] * len(numbers)
    return "".join(_BARS[min(7, number * 8 // (most + 1) if number else 0)] for number in numbers)
