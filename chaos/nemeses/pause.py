"""A node that stops in the middle of whatever it does, and does not know."""

import time

from chaos.nemeses.base import Nemesis
from chaos.trial import Trial


class Pause(Nemesis):
    """It will wake up believing that it still leads, if it did."""

    def strike(self, trial: Trial, victim: str) -> str:
        seconds = trial.chance.uniform(0.2, 4.0)
        trial.group.servers[victim].pause()
        time.sleep(seconds)
        trial.group.servers[victim].resume()
        return f"paused {victim} for {seconds:.1f} s"
