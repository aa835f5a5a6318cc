"""Wall clocks that jump, by libfaketime in front of the node. The monotonic clock is left alone."""

import time
from pathlib import Path

from chaos.nemeses.base import Nemesis
from chaos.trial import Trial

LIBRARIES = ("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/*/faketime/libfaketime.so.1")
_JUMP_S_MAX = 60.0


def library() -> Path | None:
    return next((found for pattern in LIBRARIES for found in Path("/").glob(pattern[1:])), None)


class ClockJumps(Nemesis):
    """Forwards or backwards by up to a minute, and back again."""

    def missing(self) -> str | None:
        return None if library() else "libfaketime is not installed (apt-get install libfaketime)"

    def ground(self, folder: Path) -> tuple[str, ...]:
        _offset_file(folder).write_text("+0s")
        return (
            "env",
            f"LD_PRELOAD={library()}",
            f"FAKETIME_TIMESTAMP_FILE={_offset_file(folder)}",
            # Otherwise a jump is noticed seconds later.
            "FAKETIME_CACHE_DURATION=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            # With it Python's locks, which wait by the monotonic clock, take a hundred times as long.
            "FAKETIME_FORCE_MONOTONIC_FIX=0",
            "NO_FAKE_STAT=1",
        )

    def strike(self, trial: Trial, victim: str) -> str:
        offset_s = trial.chance.uniform(-_JUMP_S_MAX, _JUMP_S_MAX)
        file = _offset_file(trial.group.servers[victim].data_dir)
        file.write_text(f"{offset_s:+.3f}s")
        seconds = trial.chance.uniform(2.0, 6.0)
        time.sleep(seconds)
        file.write_text("+0s")
        return f"put the clock of {victim} {'forward' if offset_s > 0 else 'back'} by {abs(offset_s):.0f} s"


def _offset_file(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.clock"
