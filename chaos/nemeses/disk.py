"""A disk without room. Each node has a small one of its own, so that filling it hurts nobody else."""

import contextlib
import os
import subprocess
import time
from pathlib import Path

from chaos.nemeses.base import Nemesis
from chaos.trial import Trial

#: Room for what a trial of some minutes writes, if the journal is cut early (see the scenario's flags).
SIZE_MB = 192
#: What is left when the disk counts as full: less than a node wants for its next file.
LEFT_BYTES = 200_000


class DiskFull(Nemesis):
    def __init__(self) -> None:
        self._mounted: list[Path] = []

    def missing(self) -> str | None:
        return None if os.geteuid() == 0 else "only root can give a node a small disk of its own"

    def ground(self, folder: Path) -> tuple[str, ...]:
        folder.mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "corvo-chaos", str(folder)]
        subprocess.run(mount, check=True)
        self._mounted.append(folder)
        return ()

    def clear(self) -> None:
        for folder in self._mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)

    def strike(self, trial: Trial, victim: str) -> str:
        ballast = trial.group.servers[victim].data_dir / "lost+found"
        fill(ballast, LEFT_BYTES)
        seconds = trial.chance.uniform(2.0, 6.0)
        time.sleep(seconds)
        ballast.unlink()
        return f"filled the disk of {victim} for {seconds:.1f} s"


def fill(ballast: Path, leave_bytes: int) -> None:
    """Take all room but this, by one file. The node may take some of it at the same time."""
    with ballast.open("wb") as stream:
        while True:
            space = os.statvfs(ballast.parent)
            size = max(1, space.f_bavail * space.f_frsize - leave_bytes)
            with contextlib.suppress(OSError):
                os.posix_fallocate(stream.fileno(), 0, size)
                return
