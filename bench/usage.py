"""What a process uses: memory, and processor time so far."""

import os
from pathlib import Path


def resident_mb(pid: int) -> float:
    """All that is in memory, pages of mapped files included: LevelDB maps its tables, and the kernel takes
    their pages back when somebody else needs the memory."""
    return _status_mb(pid, "VmRSS")


def own_mb(pid: int) -> float:
    """The same without pages of files."""
    return _status_mb(pid, "RssAnon")


def _status_mb(pid: int, name: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
