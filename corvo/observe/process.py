"""Process stats: garbage collection, memory, processor time and tasks of this process."""

import asyncio
import gc
import os
import resource
import time
from typing import Any

#: More descriptors than any node needs.
_FILES_MAX = 1_048_576
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class GcWatch:
    """How long the garbage collector holds everything up."""

    def __init__(self) -> None:
        self.last_ns = 0
        self.longest_ns = 0
        self.total_ns = 0
        self._started_ns = 0
        gc.callbacks.append(self._on_gc)

    def _on_gc(self, phase: str, _info: dict[str, Any]) -> None:
        if phase == "start":
            self._started_ns = time.perf_counter_ns()
            return
        self.last_ns = time.perf_counter_ns() - self._started_ns
        self.longest_ns = max(self.longest_ns, self.last_ns)
        self.total_ns += self.last_ns

    def close(self) -> None:
        gc.callbacks.remove(self._on_gc)


def resident_bytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * _PAGE_BYTES


def cpu_ns() -> tuple[int, int]:
    """User and system time used so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return int(usage.ru_utime * 1e9), int(usage.ru_stime * 1e9)


def task_count() -> int:
    return len(asyncio.all_tasks())


def raise_file_limit() -> None:
    """Let this process, and those it starts, have as many descriptors as the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, _FILES_MAX)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
