"""What the programs of all peers share. Standard library only: each runs in an environment of its own.

A job is `{"n": number, "t": microseconds when it was sent, "x": filling}`, about 100 bytes of JSON. A handler
does nothing but append a line to a file, which the harness counts.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

QUEUE = os.environ.get("PEER_QUEUE", "bench")
SERVER = os.environ.get("PEER_SERVER", "")
_FILLING = "x" * 60
#: Of a line of either file; both are counted by their size.
RECORD_BYTES = 24

Job = dict[str, Any]


def now_us() -> int:
    """The same for all processes of the machine."""
    return time.monotonic_ns() // 1_000


def job(number: int) -> Job:
    return {"n": number, "t": now_us(), "x": _FILLING}


class Records:
    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def add(self, rows: list[tuple[int, int]]) -> None:
        os.write(self._file, b"".join(b"%11d %11d\n" % row for row in rows))


_done: Records | None = None


def done(given: Job) -> None:
    """What every handler does."""
    global _done  # noqa: PLW0603 - handlers are plain functions that their library calls
    if _done is None:
        _done = Records(os.environ["PEER_DONE"])
    _done.add([(given["n"], now_us() - given["t"])])


def produce(send: Callable[[list[Job]], None], *, bulk: int = 1) -> None:
    """Send jobs until the time is up. `send` returns when the server has acknowledged them, or raises."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, required=True, help="number of the first job")
    parser.add_argument(
        "--count", type=int, default=0, help="jobs in all; 0 for as many as there is time for"
    )
    parser.add_argument("--seconds", type=float, default=3_600.0)
    parser.add_argument("--rate", type=float, default=0.0, help="jobs per second, one by one")
    parser.add_argument("--ahead", type=int, default=0, help="pause while so many jobs are waiting")
    parser.add_argument("--accepted", required=True, help="file for what the server has acknowledged")
    given = parser.parse_args()
    accepted = Records(given.accepted)
    send([])  # Connect first.
    end = time.monotonic() + given.seconds
    size = 1 if given.rate else bulk
    for numbers in _numbers(given.first, given.count, size):
        if given.rate:
            due = end - given.seconds + (numbers[0] - given.first) / given.rate
            time.sleep(max(0.0, due - time.monotonic()))
        while given.ahead and _waiting(given.accepted) > given.ahead and time.monotonic() < end:
            time.sleep(0.005)
        if time.monotonic() >= end:
            return
        jobs = [job(number) for number in numbers]
        send(jobs)
        accepted.add([(each["n"], now_us() - each["t"]) for each in jobs])


def _numbers(first: int, count: int, size: int) -> Iterator[list[int]]:
    at, end = first, first + (count or 10**9)
    while at < end:
        yield list(range(at, min(at + size, end)))
        at += size


def _waiting(accepted: str) -> int:
    done_path = Path(os.environ["PEER_DONE"])
    done_bytes = done_path.stat().st_size if done_path.exists() else 0
    # All producers write to the same file.
    return (Path(accepted).stat().st_size - done_bytes) // RECORD_BYTES
