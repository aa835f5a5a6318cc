"""Links that are bad: slow, or losing things."""

import time

from chaos.nemeses.base import Nemesis
from chaos.trial import Trial

DELAY_S = 0.05
LOST_SHARE = 0.05


class SlowLinks(Nemesis):
    def strike(self, trial: Trial, _victim: str) -> str:
        trial.group.links.slow(DELAY_S)
        seconds = _wait(trial)
        return f"had every message between nodes take {DELAY_S * 1_000:.0f} ms for {seconds:.1f} s"


class LossyLinks(Nemesis):
    def strike(self, trial: Trial, _victim: str) -> str:
        trial.group.links.lose(LOST_SHARE)
        seconds = _wait(trial)
        return f"lost {LOST_SHARE:.0%} of what nodes sent each other for {seconds:.1f} s"


def _wait(trial: Trial) -> float:
    seconds = trial.chance.uniform(2.0, 5.0)
    time.sleep(seconds)
    trial.group.links.heal()
    return seconds
