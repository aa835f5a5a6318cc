"""Who takes nodes in and dismisses them while the simulation runs."""

from collections.abc import Iterator

from corvo.consensus.api import MemberStatus
from corvo.core.errors import CorvoError
from tests.sim.network import key_of
from tests.sim.world import ADDRESS, Node, World

#: Changes asked for at once. All but the first must be put off, or two halves might each have a majority.
_BURSTS = (1, 1, 1, 4)


class Registrar:
    def __init__(self, world: World) -> None:
        self._world = world
        self._is_active = True
        self._pause_s_max = world.chance.choice((0.5, 2.0, 4.0)) if world.spares else 0.0

    def begin(self) -> None:
        self._world.timeline.after(self._world.chance.uniform(0.3, 1.5), self._change)

    def end(self) -> None:
        self._is_active = False

    def _change(self) -> None:
        if not self._is_active:
            return
        world = self._world
        leaders = world.leaders()
        if leaders:
            leader = world.chance.choice(leaders)
            burst = world.chance.choice(_BURSTS)
            if burst > 1 and world.chance.random() < 0.5:
                self._cut_off(leader.node_id)
            for _ in range(burst):
                self._ask(leader)
        world.timeline.after(world.chance.uniform(0.05, self._pause_s_max), self._change)

    def _cut_off(self, node_id: str) -> None:
        """A leader that nobody hears must not be able to make itself a majority."""
        self._note("isolations", f"{node_id} is cut off, and asked for changes")
        others = [other for other in self._world.ids if other != node_id]
        self._world.network.block({(node_id, o) for o in others} | {(o, node_id) for o in others})

    def _ask(self, leader: Node) -> None:
        """Take somebody in or dismiss somebody, by whatever node believes to lead."""
        world = self._world
        seats = leader.member.engine.rosters.current.seats
        outside = [node_id for node_id in world.ids if node_id not in seats]
        inside = [node_id for node_id in seats if node_id != leader.node_id]
        is_leaving = world.chance.random() < 0.5
        try:
            if is_leaving and inside:
                victim = world.chance.choice(sorted(inside))
                if leader.member.dismiss(victim, None):
                    self._note("dismissals", f"{leader.node_id} is asked to dismiss {victim}")
            elif outside:
                newcomer = world.chance.choice(outside)
                if leader.member.admit(newcomer, MemberStatus(ADDRESS, "", is_voter=False), None):
                    self._note("admissions", f"{leader.node_id} is asked to take in {newcomer}")
        except CorvoError as refusal:
            world.history.counts[type(refusal).__name__] += 1

    def _note(self, kind: str, text: str) -> None:
        self._world.history.counts[kind] += 1
        self._world.history.note(text)


def rosters_agree(members: list[Node]) -> Iterator[str]:
    """At rest all members have the same roster, it is committed, and nobody waits for a vote."""
    rosters = {node.member.engine.rosters.current.encode() for node in members}
    if len(rosters) != 1:
        yield f"{len(rosters)} different rosters at rest"
    for node in members:
        engine = node.member.engine
        if not engine.membership.is_settled:
            yield f"{node.node_id} has a roster at rest that is not committed"
        waiting = set(engine.rosters.current.seats) - set(engine.rosters.current.voters)
        if node.member.status().role.value == "leader" and engine._tends_roster and waiting:
            yield f"{sorted(waiting)} still have no vote"
        nameless = [name for name, seat in engine.rosters.current.seats.items() if seat.key != key_of(name)]
        if node.member.status().role.value == "leader" and engine._tends_roster and nameless:
            yield f"the keys of {sorted(nameless)} were not noted"
