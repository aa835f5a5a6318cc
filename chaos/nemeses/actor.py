"""A single actor inside a live node that dies. Needs nodes that were started with --chaos."""

import time

from chaos.nemeses.base import Nemesis
from chaos.process import Server
from chaos.trial import Trial

#: Those without which a node must not go on: it stops, and begins again from what is on disk.
VITAL = ("fsm", "store_writer")
#: What a node that must not go on ends with.
FAIL_STOPPED = 70
_HEALED_S_MAX = 10.0


class KillActor(Nemesis):
    """Its supervisor makes it anew, and nobody loses anything."""

    def strike(self, trial: Trial, victim: str) -> str:
        server = trial.group.servers[victim]
        actor = trial.chance.choice([name for name in actors(server) if name not in VITAL])
        took_s = kill_actor(server, actor)
        return f"killed the {actor} of {victim}, back in {took_s * 1_000:.0f} ms"


class KillVital(Nemesis):
    """A wrong replica is worse than a dead one: the node stops, and says why."""

    def strike(self, trial: Trial, victim: str) -> str:
        server = trial.group.servers[victim]
        actor = trial.chance.choice(VITAL)
        trial.problems += kill_vital(server, actor)
        took_s = server.start()
        return f"killed the {actor} of {victim}, which stopped and was up again in {took_s:.2f} s"


def actors(server: Server) -> list[str]:
    """Those that are there for good; others come and go with their tasks."""
    status, body = server.get("/api/v1/debug/actors")
    assert status == 200, f"the node was not started with --chaos: {body}"
    return [name for name in body["actors"] if not name.startswith("bulk_steps")]


def kill_actor(server: Server, actor: str) -> float:
    """Seconds until it was back."""
    restarts = server.get("/api/v1/debug/actors")[1]["restarts"]
    began_s = time.monotonic()
    status, body = server.post("/api/v1/debug/kill-actor", {"actor": actor})
    assert status == 202, body
    while time.monotonic() - began_s < _HEALED_S_MAX:
        body = server.get("/api/v1/debug/actors")[1]
        if body["restarts"] > restarts and body["actors"].get(actor) == "running":
            return time.monotonic() - began_s
        time.sleep(0.005)
    raise RuntimeError(f"{actor} was killed and not back within {_HEALED_S_MAX:g} s")


def kill_vital(server: Server, actor: str) -> list[str]:
    """Sentences about a node that did not stop as it should."""
    try:
        server.post("/api/v1/debug/kill-actor", {"actor": actor})
    except OSError:
        """It was quicker to die than to answer."""
    code = server.wait_for_end()
    problems = []
    if code != FAIL_STOPPED:
        problems.append(f"the {actor} was killed and its node ended with {code}, not {FAIL_STOPPED}")
    if not any("fail_stopped" in line and actor in line for line in server.last_words()):
        problems.append(f"the {actor} was killed and its node did not say so: {server.last_words(1)}")
    return problems
