"""Where the time goes, by stage of ARCHITECTURE.md: computed from what py-spy recorded.

    python -m bench.stages build/flame-all.raw build/flame-gil.raw

A sample belongs to the innermost frame that some stage owns. Code that serves several stages (storage, ops,
core, the standard library) belongs to its caller.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_OURS = "the rest of ours"
#: Parts of a file's path -> stage. The first that fits decides.
OWNERS: tuple[tuple[str, str], ...] = (
    ("corvo/actors/write/batch", "2 batcher"),
    ("corvo/actors/write/", "3 consensus: proposer, journal, Raft"),
    ("corvo/actors/cluster/leader_forwarder", "3 consensus: proposer, journal, Raft"),
    ("corvo/consensus/", "3 consensus: proposer, journal, Raft"),
    ("pysyncobj/", "3 consensus: proposer, journal, Raft"),
    ("corvo/actors/state/store_", "4 LevelDB read and write"),
    ("corvo/storage/leveldb", "4 LevelDB read and write"),
    ("corvo/actors/state/", "4 state machine"),
    ("corvo/fsm/", "4 state machine"),
    ("corvo/actors/fetch/fetch_", "5 fetch desk"),
    ("corvo/actors/mirror/", "6 mirror"),
    ("corvo/storage/mirror/", "6 mirror"),
    ("corvo/actors/events/", "7 events, webhooks, throughput, leases"),
    ("corvo/actors/webhooks/", "7 events, webhooks, throughput, leases"),
    ("corvo/actors/fetch/", "7 events, webhooks, throughput, leases"),
    ("corvo/actors/time/", "8 scheduler and upkeep"),
    ("corvo/actors/kernel/", "actor kernel: mailboxes"),
    ("corvo/http/", "1 edge: ours"),
    ("hypercorn/", "1 edge: HTTP server"),
    ("granian/", "1 edge: HTTP server"),
    ("h11/", "1 edge: HTTP server"),
    ("h2/", "1 edge: HTTP server"),
    ("hpack/", "1 edge: HTTP server"),
    ("quart/", "1 edge: HTTP server"),
    ("asyncio/", "event loop, sockets"),
    ("corvo/", _OURS),
)
_REST = "everything else"
_SHARED = ("corvo/storage/", "corvo/ops/", "corvo/core/", "corvo/observe/")
#: Threads that wait for work look busy to py-spy when they have just fallen asleep.
_IDLE = ("ThreadMailbox.wait (", "ThreadSyncer._run (", "EpollSelector.select (")


def stage_of(stack: str) -> str:
    """Of one stack, outermost frame first, as py-spy writes it: `name (file:line);name (file:line)`."""
    for frame in reversed(stack.split(";")):
        for part, stage in OWNERS:
            if _is_in(part, frame):
                if stage == _OURS and any(_is_in(shared, frame) for shared in _SHARED):
                    break
                return stage
    return _REST


def _is_in(part: str, frame: str) -> bool:
    return f"({part}" in frame or f"/{part}" in frame


def shares(lines: Iterable[str]) -> dict[str, float]:
    """Stages and their shares of all samples but those of threads that wait."""
    counts: Counter[str] = Counter()
    for line in lines:
        stack, _, count = line.rstrip().rpartition(" ")
        if stack and not stack.split(";")[-1].startswith(_IDLE):
            counts[stage_of(stack)] += int(count)
    total = sum(counts.values())
    return {stage: count / total for stage, count in counts.items()}


def table(running: dict[str, float], interpreting: dict[str, float]) -> str:
    """In the order of the way of the data."""
    rows = [
        f"| {stage} | {running.get(stage, 0.0):.1%} | {interpreting.get(stage, 0.0):.1%} |"
        for stage in sorted(running.keys() | interpreting.keys())
    ]
    head = [
        "| stage | of all threads' time | of the interpreter lock's time |",
        "| --- | ---: | ---: |",
    ]
    return "\n".join(head + rows)


if __name__ == "__main__":
    print(table(*(shares(Path(path).read_text().splitlines()) for path in sys.argv[1:3])))
