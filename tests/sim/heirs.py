"""Who has leaders hand over while the simulation runs, as SIGTERM and `corvo cluster transfer` do.

It throws its own dice: a seed without it tells the story it always told.
"""

import random

from tests.sim.world import Node, World

_PATIENCE_S = 2.0


class Heirs:
    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._chance = random.Random(f"heirs of {seed}")
        self._pause_s_max = self._chance.choice((0.5, 2.0, 5.0))
        self._is_active = True

    def begin(self) -> None:
        self._world.timeline.after(self._chance.uniform(0.5, 2.0), self._ask)

    def end(self) -> None:
        self._is_active = False

    def _ask(self) -> None:
        if not self._is_active:
            return
        leaders = self._world.leaders()
        if leaders:
            self._hand_over(self._chance.choice(leaders))
        self._world.timeline.after(self._chance.uniform(0.05, self._pause_s_max), self._ask)

    def _hand_over(self, leader: Node) -> None:
        engine = leader.member.engine
        heir = self._chance.choice((None, *engine.voting_peers))
        is_patient = self._chance.random() < 0.8
        self._world.history.note(f"{leader.node_id} is asked to hand over to {heir or 'anybody'}")
        engine.hand_over(patiently=is_patient, heir=heir)
        leader.member.driver.wake()
        # Nobody could take it, or not in time: Raft.hand_over gives up then.
        leader.loop.call_later(_PATIENCE_S, engine.keep_lead)
