"""What goes wrong: one misfortune after the other, chosen by the seed.

Every seed has its own temper: some misfortunes never happen in it, others often. Runs in which everything
happens all the time look alike; runs that overdo one thing find what only that thing breaks.
"""

from collections.abc import Callable

from tests.sim.world import World


class Nemesis:
    def __init__(self, world: World) -> None:
        self._world = world
        self._is_active = True
        self._pause_s_max = world.chance.choice((0.3, 1.0, 1.0, 3.0))
        usual: list[tuple[Callable[[], None], int]] = [
            (self._kill, 24),
            (self._pause, 12),
            (self._isolate, 16),
            (self._cut_one_link, 8),
            (self._cut_one_way, 8),
            (self._reset_connection, 8),
            (self._cut_next_snapshot, 6),
            (self._power_loss, 8),
            (self._power_loss_everywhere, 4),
            (self._kill_then_power_loss, 6),
            (self._kill_at_next_election, 10),
            (self._slow_disk, 6),
            (self._slow_store, 4),
            (self._full_disk, 4),
            (self._failing_disk, 2),
            (self._kill_all, 2),
        ]
        impossible = self._impossible()
        possible = {misfortune: weight for misfortune, weight in usual if misfortune not in impossible}
        tempered = {
            misfortune: weight * world.chance.choice((0, 1, 3)) for misfortune, weight in possible.items()
        }
        self._misfortunes = tempered if any(tempered.values()) else possible

    def _impossible(self) -> set[Callable[[], None]]:
        impossible: set[Callable[[], None]] = set()
        if self._world.sync == "never":
            # Without syncs a power cut may take what was promised; that is what the setting says.
            impossible |= {self._power_loss, self._power_loss_everywhere, self._kill_then_power_loss}
            impossible |= {self._failing_disk}
        if len(self._world.ids) == 1:
            impossible |= {self._isolate, self._cut_one_link, self._cut_one_way, self._reset_connection}
            impossible |= {self._kill_at_next_election, self._cut_next_snapshot}
        return impossible

    def begin(self) -> None:
        self._world.timeline.after(self._world.chance.uniform(0.5, 2.0), self._strike)

    def end(self) -> None:
        """Everything heals: the network, the disks, and whoever is down comes back."""
        self._is_active = False
        world = self._world
        world.on_candidate = world.network.on_chunk = None
        world.network.heal()
        for node_id in world.ids:
            world.machines[node_id].disk.is_full = False
            world.start(node_id)
        for node in world.nodes.values():
            node.syncer.slow_s_max = node.machine.slow_s_max = 0.0

    def _strike(self) -> None:
        if not self._is_active:
            return
        choices, weights = list(self._misfortunes), list(self._misfortunes.values())
        self._world.chance.choices(choices, weights)[0]()
        if self._world.chance.random() < 0.5:
            self._world.network.heal()
        self._world.timeline.after(self._world.chance.uniform(0.05, self._pause_s_max), self._strike)

    def _note(self, kind: str, text: str) -> None:
        self._world.history.counts[kind] += 1
        self._world.history.note(text)

    def _victim(self) -> str | None:
        """A running node, more often than not the leader."""
        world = self._world
        running = sorted(world.nodes)
        leaders = [node_id for node_id in running if world.nodes[node_id].member.engine.is_leader]
        if leaders and world.chance.random() < 0.6:
            return world.chance.choice(leaders)
        return world.chance.choice(running) if running else None

    def _restart_soon(self, node_id: str, seconds_max: float = 2.0) -> None:
        world = self._world
        world.timeline.after(world.chance.uniform(0.02, seconds_max), lambda: world.start(node_id))

    # Processes

    def _kill(self) -> None:
        if (victim := self._victim()) is not None:
            self._note("kills", f"kill -9 {victim}")
            self._world.kill(victim, "kill -9")
            self._restart_soon(victim)

    def _kill_all(self) -> None:
        for node_id in sorted(self._world.nodes):
            self._note("kills", f"kill -9 {node_id}")
            self._world.kill(node_id, "kill -9 of all")
            self._restart_soon(node_id)

    def _pause(self) -> None:
        if (victim := self._victim()) is not None:
            seconds = self._world.chance.uniform(0.1, 3.0)
            self._note("pauses", f"{victim} sleeps for {seconds:.2f} s")
            self._world.nodes[victim].loop.pause(seconds)

    def _kill_at_next_election(self) -> None:
        """Voters are killed with the vote hardly written, then asked by one that has not heard who won."""
        self._note("kills at elections", "the next election will be deadly")
        self._world.on_candidate = self._kill_voters

    def _kill_voters(self, candidate: str) -> None:
        world = self._world
        others = [other for other in world.ids if other != candidate]
        rival = world.chance.choice(others)
        world.network.block({(candidate, rival), (rival, candidate)})
        for node_id in others:
            if node_id != rival and world.chance.random() < 0.7:
                delay = world.chance.uniform(0.0, 0.3)
                world.timeline.after(delay, lambda victim=node_id: self._kill_briefly(victim))

    def _kill_briefly(self, node_id: str) -> None:
        if self._is_active and node_id in self._world.nodes:
            self._note("kills", f"kill -9 {node_id}")
            self._world.kill(node_id, "killed around an election")
            self._restart_soon(node_id, 0.05)

    def _kill_then_power_loss(self) -> None:
        """What the killed process left with the kernel, the next one may have promised before the cut."""
        if (victim := self._victim()) is None:
            return
        self._note("kills", f"kill -9 {victim}, with a power loss to follow")
        self._world.kill(victim, "kill -9")
        self._restart_soon(victim, 0.1)
        self._world.timeline.after(
            self._world.chance.uniform(0.1, 1.0), lambda: self._late_power_loss(victim)
        )

    def _late_power_loss(self, node_id: str) -> None:
        if self._is_active:
            self._note("power losses", f"power loss at {node_id}")
            self._world.lose_power(node_id)
            self._restart_soon(node_id)

    def _power_loss(self) -> None:
        if (victim := self._victim()) is not None:
            self._note("power losses", f"power loss at {victim}")
            self._world.lose_power(victim)
            self._restart_soon(victim)

    def _power_loss_everywhere(self) -> None:
        for node_id in self._world.ids:
            self._note("power losses", f"power loss at {node_id}")
            self._world.lose_power(node_id)
            self._restart_soon(node_id)

    # The network

    def _isolate(self) -> None:
        victim = self._victim() or self._world.chance.choice(self._world.ids)
        self._note("isolations", f"{victim} is cut off")
        others = [other for other in self._world.ids if other != victim]
        self._world.network.block(
            {(victim, other) for other in others} | {(other, victim) for other in others}
        )

    def _cut_one_link(self) -> None:
        a, b = self._world.chance.sample(self._world.ids, 2)
        self._note("link faults", f"nothing passes between {a} and {b}")
        self._world.network.block({(a, b), (b, a)})

    def _cut_one_way(self) -> None:
        victim = self._victim() or self._world.chance.choice(self._world.ids)
        outward = self._world.chance.random() < 0.5
        self._note("link faults", f"nothing comes {'out of' if outward else 'to'} {victim}")
        others = [other for other in self._world.ids if other != victim]
        self._world.network.block({(victim, o) if outward else (o, victim) for o in others})

    def _reset_connection(self) -> None:
        a, b = self._world.chance.sample(self._world.ids, 2)
        self._note("link faults", f"the connection between {a} and {b} is reset")
        self._world.network.reset(a, b)

    def _cut_next_snapshot(self) -> None:
        self._note("snapshots cut", "the next snapshot will be cut off")
        self._world.network.on_chunk = self._cut_soon

    def _cut_soon(self, leader: str, follower: str) -> None:
        delay = self._world.chance.uniform(0.0, 0.1)
        self._world.timeline.after(delay, lambda: self._world.network.reset(leader, follower))

    # The disk

    def _slow_disk(self) -> None:
        if (victim := self._victim()) is not None:
            syncer = self._world.nodes[victim].syncer
            syncer.slow_s_max = self._world.chance.choice((0.02, 0.1, 1.0))
            self._note("slow disks", f"syncs of {victim} take up to {syncer.slow_s_max} s")
            self._world.timeline.after(self._world.chance.uniform(0.5, 3.0), lambda: _set_fast(syncer))

    def _slow_store(self) -> None:
        """The log is written as ever, but its state machine does not come after."""
        if (victim := self._victim()) is not None:
            machine = self._world.nodes[victim].machine
            machine.slow_s_max = self._world.chance.choice((1.0, 4.0))
            self._note("slow stores", f"{victim} takes up to {machine.slow_s_max} s to store its state")
            self._world.timeline.after(self._world.chance.uniform(0.5, 3.0), lambda: _set_fast(machine))

    def _full_disk(self) -> None:
        if (victim := self._victim()) is not None:
            self._note("full disks", f"the disk of {victim} is full")
            disk = self._world.machines[victim].disk
            disk.is_full = True
            self._world.timeline.after(self._world.chance.uniform(0.5, 3.0), lambda: _set_empty(disk))

    def _failing_disk(self) -> None:
        if (victim := self._victim()) is not None:
            self._note("failed syncs", f"the next sync of {victim} fails")
            self._world.expect_failure(victim)


def _set_fast(part) -> None:
    part.slow_s_max = 0.0


def _set_empty(disk) -> None:
    disk.is_full = False
