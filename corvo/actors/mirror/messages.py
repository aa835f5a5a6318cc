"""Messages to and from the mirror. Also the way in for the edge, which may not know the store."""

import sqlite3
from pathlib import Path

import msgspec

from corvo.actors.kernel.messages import Message
from corvo.core.namespace import Reach
from corvo.core.states import JobState
from corvo.storage.kv import KvSnapshot
from corvo.storage.mirror.search.failures import Failures
from corvo.storage.mirror.search.query import Query, Range, Sort
from corvo.storage.mirror.search.request import SearchRequest
from corvo.storage.mirror.search.search import Hit

__all__ = [
    "AwaitMirror",
    "Build",
    "BuildFailed",
    "Building",
    "Built",
    "CountByState",
    "CountJobs",
    "Failures",
    "FailuresGrouped",
    "FindIds",
    "FullText",
    "FullTextFound",
    "GroupFailures",
    "Hit",
    "HoldStill",
    "IdsFound",
    "JobsCounted",
    "MirrorDamaged",
    "MirrorReached",
    "MirrorRebuilt",
    "Pair",
    "Query",
    "Range",
    "RebuildMirror",
    "SearchJobs",
    "SearchPage",
    "SearchRequest",
    "Sort",
    "StatesCounted",
]

# The writer


class AwaitMirror(Message, frozen=True):
    """reader -> writer: answer with MirrorReached when the mirror has this entry, or Stale after the wait."""

    index: int
    wait_ms: int
    #: Bring the full-text index up to date as well, as far as half a second goes.
    words: bool = False


class MirrorReached(Message, frozen=True):
    """writer -> reader: the mirror has everything up to this entry, and this is its file."""

    index: int
    path: Path


class MirrorDamaged(Message, frozen=True):
    """reader -> writer: this file cannot be read. There is no answer."""

    path: Path
    reason: str


class RebuildMirror(Message, frozen=True):
    """edge -> writer: build the mirror anew. Answer: MirrorRebuilt, or Unhealthy."""


class MirrorRebuilt(Message, frozen=True):
    jobs: int
    duration_ms: int


class HoldStill(Message, frozen=True):
    """consistency check -> writer: look at store and mirror as of one entry. Answer: Pair or Unhealthy."""


class Pair(Message, frozen=True):
    """writer -> consistency check: both as of one entry. Close them after use."""

    store: KvSnapshot
    mirror: sqlite3.Connection


# Rebuilding


class Build(Message, frozen=True):
    """writer -> builder: begin. Answers: Building now and then, at last Built or BuildFailed."""


class Building(Message, frozen=True):
    jobs: int
    jobs_expected: int


class Built(Message, frozen=True):
    path: Path
    jobs: int


class BuildFailed(Message, frozen=True):
    reason: str


# Questions to the reader. Each waits, up to a second, until the mirror has `min_index`; an answer that
# could not wait any longer says that it is `stale`.


class SearchJobs(Message, frozen=True):
    """edge -> reader: one page. Answer: SearchPage, or ValidationFailed."""

    query: Query
    min_index: int = 0
    #: How many match, if the caller knows it from the queues' counters (`Query.is_counted`).
    known_total: int | None = None


class SearchPage(Message, frozen=True):
    hits: list[Hit]
    total: int
    total_is_estimate: bool
    #: For the next page; None on the last.
    cursor: str | None
    stale: bool

    @property
    def has_more(self) -> bool:
        return self.cursor is not None


class FindIds(Message, frozen=True):
    """edge, bulk -> reader: the next ids of all that match, in order of creation. Answer: IdsFound."""

    query: Query
    after_cursor: str | None = None
    limit: int = 1_000
    min_index: int = 0


class IdsFound(Message, frozen=True):
    ids: list[str]
    #: For the next chunk; None if this was the last.
    cursor: str | None
    stale: bool


class CountJobs(Message, frozen=True):
    """edge, bulk -> reader: how many match, counted up to a cap. Answer: JobsCounted."""

    query: Query
    cap: int
    min_index: int = 0


class JobsCounted(Message, frozen=True):
    count: int
    #: There are more than `count`.
    is_capped: bool
    stale: bool


class CountByState(Message, frozen=True):
    """edge, bulk -> reader: how many match, by state. Answer: StatesCounted."""

    query: Query
    min_index: int = 0


class StatesCounted(Message, frozen=True):
    counts: dict[JobState, int]
    stale: bool


class GroupFailures(Message, frozen=True):
    """edge -> reader: failed jobs by what their errors have in common. Answer: FailuresGrouped."""

    query: Query
    limit: int
    now_ns: int
    min_index: int = 0


class FailuresGrouped(Message, frozen=True):
    found: Failures
    stale: bool


class FullText(Message, frozen=True):
    """edge -> reader: jobs that have all of these words, newest first. Answer: FullTextFound."""

    q: str
    limit: int = 50
    reach: Reach | None = None
    min_index: int = 0


class FullTextFound(Message, frozen=True):
    hits: list[Hit]
    stale: bool


# Checking


class CheckConsistency(Message, frozen=True):
    """edge -> consistency check: look at everything. Answer: ConsistencyChecked."""


class ConsistencyChecked(Message, frozen=True):
    #: The entry at which everything was looked at.
    index: int
    #: A sentence for each thing that is wrong.
    problems: list[str]
    #: How many values each key is needed for.
    seal_keys: dict[str, int] = msgspec.field(default_factory=dict)
