"""Processes of a peer: each a session of its own, and ended as one, so that nothing is left running."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


class Process:
    def __init__(
        self, command: list[str], log: Path, *, folder: Path | None = None, **environment: str
    ) -> None:
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self.log = log

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait(self, seconds: float) -> int:
        return self._process.wait(seconds)

    def kill(self) -> None:
        """kill -9 of it and of all that it has started."""
        # Noted first: whoever has lost its parent cannot be found any more.
        members = _family(self._process.pid)
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        until(lambda: not any(_is_alive(pid) for pid in members), 10, "killed processes to end")

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        for pid in _family(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def memory_mb(self) -> float:
        """Of all of them; pages that several share are counted once."""
        return sum(_pss_mb(pid) for pid in _family(self._process.pid))


def _family(root: int) -> set[int]:
    """The processes of its session, and what they have started in sessions of their own."""
    stats = {int(name): stat for name in os.listdir("/proc") if name.isdigit() and (stat := _stat(name))}
    family = {pid for pid, (_, _, session) in stats.items() if session == root}
    while more := {pid for pid, (_, parent, _) in stats.items() if parent in family} - family:
        family |= more
    return {pid for pid in family if stats[pid][0] != "Z"}


def _is_alive(pid: int) -> bool:
    stat = _stat(str(pid))
    return stat is not None and stat[0] != "Z"


def _stat(name: str) -> tuple[str, int, int] | None:
    """State, parent and session of a process."""
    try:
        fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], int(fields[1]), int(fields[3])


def _pss_mb(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    line = next((line for line in text.splitlines() if line.startswith("Pss:")), "Pss: 0 kB")
    return int(line.split()[1]) / 1024


def until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.01)
