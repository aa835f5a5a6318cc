"""Links that carry nothing: around a node, in one direction, between two nodes."""

import time

from chaos.nemeses.base import Nemesis
from chaos.network import Way, around
from chaos.trial import Trial


class Isolate(Nemesis):
    def strike(self, trial: Trial, victim: str) -> str:
        out, into = around(victim, trial.group.servers)
        return f"cut {victim} off for {_cut(trial, out | into):.1f} s"


class CutOneWay(Nemesis):
    """It hears the others and is not heard, or the other way round."""

    def strike(self, trial: Trial, victim: str) -> str:
        out, into = around(victim, trial.group.servers)
        is_mute = trial.chance.random() < 0.5
        seconds = _cut(trial, out if is_mute else into)
        return f"made {victim} {'mute' if is_mute else 'deaf'} for {seconds:.1f} s"


class CutPair(Nemesis):
    """The third node hears both, so nobody need notice much."""

    def strike(self, trial: Trial, victim: str) -> str:
        other = trial.chance.choice([node_id for node_id in trial.group.servers if node_id != victim])
        seconds = _cut(trial, {(victim, other), (other, victim)})
        return f"cut {victim} and {other} apart for {seconds:.1f} s"


def _cut(trial: Trial, ways: set[Way]) -> float:
    seconds = trial.chance.uniform(0.5, 6.0)
    trial.group.links.cut(ways)
    time.sleep(seconds)
    trial.group.links.heal()
    return seconds
