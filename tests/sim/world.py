"""A cluster of real members on simulated machines, with a client that writes to whoever leads."""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from corvo.consensus.api import Role
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.raft.context import Surroundings
from corvo.consensus.raft.member import Member
from corvo.consensus.roster import Roster, Seat
from corvo.consensus.settings import LAN, FlowControl, JournalLimits, RaftSettings, RaftTiming, SyncMode
from corvo.core.errors import NotLeader, StorageFull
from tests.sim.checks import History
from tests.sim.disk import SimDisk
from tests.sim.machine import SimMachine, Store, command_of
from tests.sim.network import Network, key_of
from tests.sim.syncer import SimSyncer
from tests.sim.timeline import NodeLoop, Timeline, Violation

#: Everything is small, so that a run of seconds meets every edge: many messages per catch-up, several
#: segments, cuts all the time.
LIMITS = JournalLimits(
    segment_bytes=16 * 1024,
    step_bytes=4 * 1024,
    cut_entries=200,
    cut_bytes=64 * 1024,
    keep_entries=40,
    keep_bytes=16 * 1024,
)
FLOW = FlowControl(
    message_bytes=1_000, window_bytes=4_000, apply_entries=16, unstored_entries=32, unstored_bytes=16 * 1024
)
#: A state machine that is full is given no more, but what was on its way when it became so.
UNSTORED_MAX = FLOW.unstored_entries + FLOW.apply_entries
TIMING = RaftTiming(proposal_s=5.0)
BRISK_TIMING = replace(LAN, proposal_s=5.0)
ADDRESS = "simulated:1"
#: Proposals the client leaves open. Without a bound a slow network would only gather a backlog.
OPEN_MAX = 40


@dataclass
class Machine:
    """What outlives a process: its disk and its state machine's store."""

    disk: SimDisk
    store: Store


class Node:
    """A running process."""

    def __init__(self, world: "World", node_id: str) -> None:
        hardware = world.machines[node_id]
        self.node_id = node_id
        self.loop = NodeLoop(world.timeline)
        self.link = world.network.link_of(node_id)
        self.syncer = SimSyncer(self.loop, world.chance, usual_s_max=world.sync_s_max)
        #: Proposals whose outcome the client still waits for, and some that it does not.
        self.tickets: deque[int] = deque()
        self.machine = SimMachine(
            node_id, hardware.store, world.history, self.loop, world.chance, unstored_max=UNSTORED_MAX
        )
        settings = RaftSettings(
            node_id=node_id,
            directory=Path("/simulated"),
            peers=dict.fromkeys((other for other in world.founders if other != node_id), ADDRESS),
            bind=ADDRESS,
            seat=Seat(ADDRESS, key=key_of(node_id)) if world.spares else None,
            is_joining=node_id in world.spares,
            sync=world.sync,
            timing=world.timing,
            flow=FLOW,
            journal=LIMITS,
        )
        surroundings = Surroundings(
            disk=hardware.disk,
            link=self.link,
            scheduler=self.loop,
            syncer=self.syncer,
            now=self.loop.now,
            chance=random.Random(world.chance.random()),
            fail_stop=lambda reason: world.failed(node_id, reason),
            on_room=lambda: None,
        )
        self.member = Member(settings, self.machine, surroundings)
        self.machine.on_stored = self.member.stored
        self.loop.call_soon(self.member.driver.start)

    def connected(self, peer: str) -> None:
        self.loop.call_soon(lambda: self.member.driver.peer_connected(peer))

    def disconnected(self, peer: str) -> None:
        self.loop.call_soon(lambda: self.member.driver.peer_disconnected(peer))

    def deliver(self, peer: str, message: PeerMessage, size: int) -> None:
        self.loop.call_soon(lambda: self.member.driver.message_received(peer, message, size))


class World:
    def __init__(self, seed: int, *, nodes: int, sync: SyncMode, spares: int = 0) -> None:
        self.chance = random.Random(seed)
        self.sync = sync
        self.timeline = Timeline()
        self.history = History(self.timeline)
        self.founders = [f"n{number}" for number in range(nodes)]
        #: Nodes that are up from the start but were not taken in yet.
        self.spares = [f"s{number}" for number in range(spares)]
        self.ids = self.founders + self.spares
        self.sync_s_max = self.chance.choice((0.002, 0.02, 0.05))
        latency_s = self.chance.choice((0.003, 0.03, 0.08))
        self.timing = BRISK_TIMING if latency_s < 0.01 and self.chance.random() < 0.5 else TIMING
        self.network = Network(self.timeline, self.chance, self.ids, latency_s=latency_s)
        self.machines = {node_id: Machine(SimDisk(), Store()) for node_id in self.ids}
        self.nodes: dict[str, Node] = {}
        #: Called once, with the node that next asks for votes.
        self.on_candidate: Callable[[str], None] | None = None
        self.history.on_role = self._role_changed
        self._expected_failures: set[str] = set()
        self._values = 0

    # Processes

    def start(self, node_id: str) -> None:
        if node_id in self.nodes:
            return
        self.nodes[node_id] = Node(self, node_id)
        self.network.came_up(node_id, self.nodes[node_id])
        self.history.note(f"{node_id} started")

    def kill(self, node_id: str, reason: str) -> None:
        node = self.nodes.pop(node_id)
        node.loop.is_dead = True
        node.link.is_dead = True
        self.network.went_down(node_id)
        self.history.died(node.tickets)
        self.history.note(f"{node_id} is gone: {reason}")
        stats = node.member.stats
        for name in (
            *("entries_cut", "stalls", "handovers", "elections_won"),
            *("snapshots_sent", "snapshots_broken_off", "snapshots_resumed"),
        ):
            self.history.counts[name] += getattr(stats, name)

    def lose_power(self, node_id: str) -> None:
        if node_id in self.nodes:
            self.kill(node_id, "power loss")
        self.machines[node_id].disk.lose_power(self.chance)

    def expect_failure(self, node_id: str) -> None:
        """The disk is about to fail; the node must stop, and may."""
        self._expected_failures.add(node_id)
        self.nodes[node_id].syncer.fails_next = True

    def failed(self, node_id: str, reason: str) -> None:
        if node_id not in self._expected_failures:
            raise Violation(f"{node_id} stopped by itself: {reason}")
        self._expected_failures.discard(node_id)
        self.lose_power(node_id)
        self.timeline.after(self.chance.uniform(0.1, 1.0), lambda: self.start(node_id))

    def _role_changed(self, node_id: str, role: Role) -> None:
        if role is Role.CANDIDATE and self.on_candidate is not None:
            trigger, self.on_candidate = self.on_candidate, None
            trigger(node_id)

    # Members

    def leaders(self) -> list[Node]:
        return [
            node
            for node in self.nodes.values()
            if node.member.role is Role.LEADER and not node.loop.is_paused
        ]

    def roster(self) -> Roster:
        """Who belongs to the cluster, as the one sees it that has heard most."""
        return max(
            (node.member.engine for node in self.nodes.values()), key=lambda engine: engine.commit_index
        ).rosters.current

    # The client

    def write(self) -> None:
        """Propose something to a node that says it leads, if there is one."""
        leaders = self.leaders()
        if not leaders:
            return
        node = self.chance.choice(leaders)
        while node.tickets and self.history.tickets[node.tickets[0]] is not None:
            node.tickets.popleft()
        if len(node.tickets) >= OPEN_MAX:
            return
        self._values += 1
        value = self._values
        command = command_of(value, self.chance.choice((10, 100, 100, 400, 3_000)))
        self.history.tickets[value] = None
        try:
            node.member.propose(command, value)
        except (NotLeader, StorageFull) as refusal:
            del self.history.tickets[value]
            self.history.counts[type(refusal).__name__] += 1
        else:
            node.tickets.append(value)
            self.history.counts["proposed"] += 1
