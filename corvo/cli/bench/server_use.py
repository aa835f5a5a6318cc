"""What the server used: processor and memory, from /proc if it is on this machine, else from what it says."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from corvo.cli.problems import Problem
from corvo.cli.request.client import Api

_LISTENING = "0A"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Use(NamedTuple):
    cpu_s: float
    memory_mb: float


class ServerUse:
    def __init__(self, api: Api, host: str, port: int) -> None:
        self._api = api
        self._pids = sorted(_family(port)) if _is_here(host) else []

    def now(self) -> Use | None:
        """None if the server does not tell, for instance because of the role of the key."""
        if self._pids:
            uses = [use for pid in self._pids if (use := _of(pid)) is not None]
            return Use(sum(use.cpu_s for use in uses), sum(use.memory_mb for use in uses))
        try:
            said = self._api.get("/api/v1/debug/runtime")
        except Problem:
            return None
        return Use((said["cpu_user_ns"] + said["cpu_sys_ns"]) / 1e9, said["heap_inuse_bytes"] / 2**20)


def _is_here(host: str) -> bool:
    try:
        address = socket.gethostbyname(host)
    except OSError:
        return False
    return address.startswith("127.") and Path("/proc/net/tcp").exists()


def _family(port: int) -> set[int]:
    """The processes that listen on the port, the node that started them, and their children."""
    inodes = set(_sockets(port))
    pids = {pid for pid in _all_pids() if inodes & set(_sockets_of(pid))}
    # An edge process is a child of its node.
    pids |= {parent for pid in pids if "serve" in _command(parent := _parent(pid))}
    return pids | {pid for pid in _all_pids() if _parent(pid) in pids}


def _sockets(port: int) -> Iterator[str]:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            rows = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            fields = row.split()
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                yield f"socket:[{fields[9]}]"


def _sockets_of(pid: int) -> Iterator[str]:
    try:
        for descriptor in os.scandir(f"/proc/{pid}/fd"):
            yield os.readlink(descriptor.path)
    except OSError:
        return  # It is gone, or not ours to look at.


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _parent(pid: int) -> int:
    try:
        return int(_stat(pid)[1])
    except OSError:
        return 0


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def _of(pid: int) -> Use | None:
    try:
        fields = _stat(pid)
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return None
    memory_mb = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return Use((int(fields[11]) + int(fields[12])) / _TICKS_PER_S, memory_mb)
