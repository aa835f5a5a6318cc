"""One seed, from a cold start through misfortune to rest."""

import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import structlog

from corvo.consensus.settings import SyncMode
from tests.sim.checks import at_rest
from tests.sim.heirs import Heirs
from tests.sim.nemesis import Nemesis
from tests.sim.registrar import Registrar, rosters_agree
from tests.sim.timeline import Violation
from tests.sim.world import World

#: Time to converge once everything has healed; and how long all must then stay well.
REST_S = 15.0
QUIET_S = 3.0
_WRITE_EVERY_S = (0.006, 0.012, 0.05)


@dataclass
class Outcome:
    seed: int
    nodes: int
    #: What tells the same story again.
    command: str
    #: One sentence per violation; none is a pass.
    violations: list[str]
    counts: Counter[str]
    trace: str

    def report(self) -> str:
        what = "\n".join(f"  {sentence}" for sentence in self.violations)
        return f"{what}\n{self.trace}\n  Again: {self.command}"


def run(
    seed: int,
    *,
    nodes: int = 3,
    seconds: float = 20.0,
    sync: SyncMode = "always",
    trace_lines: int = 60,
    spares: int = 0,
    heirs: bool = False,
) -> Outcome:
    """With spare nodes, members are taken in and dismissed while everything else goes wrong.

    With heirs, leaders are asked to hand over as well.
    """
    world = World(seed, nodes=nodes, sync=sync, spares=spares)
    violations: list[str] = []
    # The node's own log would be noise here: the trace tells what happened.
    with structlog.testing.capture_logs():
        try:
            _live(world, seconds, Heirs(world, seed) if heirs else None)
            _rest(world)
            violations.extend(_faults(world))
        except Violation as violation:
            violations.append(str(violation))
        except Exception:
            violations.append("the simulation itself failed:\n" + traceback.format_exc())
    for node_id in sorted(world.nodes):
        world.kill(node_id, "end of the run")
    counts = world.history.counts
    counts["messages"] = world.network.messages
    counts["events"] = world.timeline.events_run
    command = f"python -m tests.sim --seeds {seed} --secs {seconds:g} --nodes {nodes}"
    command += f" --spares {spares}" * bool(spares) + " --sync never" * (sync == "never")
    command += " --heirs" * heirs
    return Outcome(seed, nodes, command, violations, counts, world.history.trace(trace_lines))


def _live(world: World, seconds: float, heirs: Heirs | None) -> None:
    timeline = world.timeline
    for node_id in world.ids:
        world.start(node_id)
    nemesis = Nemesis(world)
    nemesis.begin()
    registrar = Registrar(world)
    if world.spares:
        registrar.begin()
    if heirs is not None:
        heirs.begin()
    end_s = timeline.now() + seconds
    every_s = world.chance.choice(_WRITE_EVERY_S)

    def write_again() -> None:
        for _ in range(world.chance.choice((0, 1, 1, 2))):
            world.write()
        if timeline.now() < end_s:
            timeline.after(world.chance.random() * 2 * every_s, write_again)

    timeline.after(0.5, write_again)
    timeline.run_until(end_s)
    registrar.end()
    if heirs is not None:
        heirs.end()
    nemesis.end()


def _rest(world: World) -> None:
    """Until all has been well for a while, or time is over."""
    timeline = world.timeline
    end_s = timeline.now() + REST_S
    well_since_s = end_s
    while timeline.now() < min(end_s, well_since_s + QUIET_S):
        timeline.run_until(timeline.now() + 0.5)
        is_well = not any(_faults(world))
        well_since_s = min(well_since_s, timeline.now()) if is_well else end_s


def _faults(world: World) -> Iterator[str]:
    members = [node for node_id, node in world.nodes.items() if node_id in world.roster().seats]
    yield from at_rest(world.history, {node.node_id: node.machine.rows for node in members})
    yield from rosters_agree(members)
