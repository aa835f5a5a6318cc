"""Processes that end: killed, asked to stop, all at once."""

import time

from chaos.nemeses.base import Nemesis
from chaos.trial import Trial


class Kill(Nemesis):
    """kill -9, and a new start soon after."""

    def strike(self, trial: Trial, victim: str) -> str:
        server = trial.group.servers[victim]
        server.kill()
        if len(trial.group.servers) > 1:
            time.sleep(trial.chance.uniform(0.0, 1.0))
        took_s = server.start()
        return f"killed {victim}, up again in {took_s:.2f} s"


class Restart(Nemesis):
    """SIGTERM: a leader hands over first."""

    def strike(self, trial: Trial, victim: str) -> str:
        code = trial.group.servers[victim].terminate(wait_s=20)
        if code != 0:
            trial.problems.append(f"{victim} was asked to stop and ended with {code}")
        trial.group.servers[victim].start()
        return f"restarted {victim}, which ended with {code}"


class KillAll(Nemesis):
    """The lights go out."""

    def strike(self, trial: Trial, _victim: str) -> str:
        for server in trial.group.servers.values():
            server.kill()
        trial.group.start_all()
        return "killed all nodes at once"
