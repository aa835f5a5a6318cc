"""Stand-ins for the surroundings of a member, shared by the tests of this folder."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from corvo.consensus.api import Position, Role
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.raft.context import Surroundings
from corvo.consensus.raft.member import Member
from corvo.consensus.raft.snapshot_out import OutgoingSnapshot
from corvo.consensus.roster import Seat
from corvo.consensus.settings import FlowControl, JournalLimits, RaftSettings, RaftTiming
from tests.sim.disk import SimDisk
from tests.sim.syncer import SimSyncer
from tests.sim.timeline import NodeLoop, Timeline

SMALL = JournalLimits(
    segment_bytes=16 * 1024,
    step_bytes=4 * 1024,
    cut_entries=100,
    cut_bytes=64 * 1024,
    keep_entries=10,
    keep_bytes=8 * 1024,
)


class Recorder:
    """A state machine that remembers what it was told, and is durable when the test says so."""

    def __init__(self, position: Position | None = None) -> None:
        self.durable = position or Position(0, 0)
        self.entries: list[tuple[Position, bytes]] = []
        self.passes: list[Position] = []
        self.rosters: list[bytes] = []
        self.committed_tickets: list[object] = []
        self.lost_tickets: list[object] = []
        self.roles: list[tuple[Role, int, str | None]] = []
        self.chunks: list[bytes] = []
        self.sinks: list[RecorderSink] = []
        self.raises: Exception | None = None

    @property
    def commands(self) -> list[bytes]:
        return [command for _, command in self.entries]

    def position(self) -> Position:
        return self.durable

    def committed(self, position: Position, command: bytes, ticket: object | None) -> None:
        if self.raises is not None:
            raise self.raises
        self.entries.append((position, command))
        if ticket is not None:
            self.committed_tickets.append(ticket)

    def roster(self) -> bytes | None:
        return self.rosters[-1] if self.rosters else None

    def configured(self, position: Position, roster: bytes, ticket: object | None) -> None:
        self.rosters.append(roster)
        if ticket is not None:
            self.committed_tickets.append(ticket)

    def passed(self, position: Position) -> None:
        self.passes.append(position)

    def lost(self, ticket: object) -> None:
        self.lost_tickets.append(ticket)

    def role_changed(self, role: Role, term: int, leader_id: str | None) -> None:
        self.roles.append((role, term, leader_id))

    def stream(self) -> Iterator[bytes]:
        yield from self.chunks

    def receive(self) -> "RecorderSink":
        self.sinks.append(RecorderSink())
        return self.sinks[-1]


class RecorderSink:
    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.is_aborted = False
        self.raises: Exception | None = None
        self.result = Position(0, 0)

    def write(self, chunk: bytes) -> None:
        if self.raises is not None:
            raise self.raises
        self.chunks.append(chunk)

    def finish(self) -> Position:
        return self.result

    def abort(self) -> None:
        self.is_aborted = True


class RecorderLink:
    """A link that keeps what it is given."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, PeerMessage]] = []
        self.is_open = True
        self.is_roomy = True
        self.addresses: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.proven: dict[str, str] = {}

    def set_peers(self, addresses, keys) -> None:
        self.addresses, self.keys = dict(addresses), dict(keys)

    def proven_keys(self) -> dict[str, str]:
        return self.proven

    def send(self, peer: str, message: PeerMessage) -> bool:
        if self.is_open:
            self.sent.append((peer, message))
        return self.is_open

    def has_room(self, peer: str) -> bool:
        return self.is_roomy

    def take(self, kind: str | None = None) -> list[PeerMessage]:
        """What was sent since the last time, of this type if one is given."""
        sent, self.sent = self.sent, []
        return [message for _, message in sent if kind is None or message["type"] == kind]


class Desk:
    """One real member on a simulated machine; the test plays its peers."""

    def __init__(
        self,
        timeline: Timeline,
        *,
        peers: tuple[str, ...] = (),
        disk: SimDisk | None = None,
        machine: Recorder | None = None,
        sync: str = "always",
        journal: JournalLimits = SMALL,
        flow: FlowControl | None = None,
        timing: RaftTiming | None = None,
        seat: Seat | None = None,
    ) -> None:
        self.timeline = timeline
        self.disk = disk or SimDisk()
        self.machine = machine or Recorder()
        self.link = RecorderLink()
        self.loop = NodeLoop(timeline)
        self.syncer = SimSyncer(self.loop, random.Random(1), usual_s_max=0.0)
        self.failures: list[str] = []
        self.rooms = 0
        settings = RaftSettings(
            node_id="me",
            directory=Path("/simulated"),
            peers=dict.fromkeys(peers, "simulated:1"),
            bind="simulated:1",
            sync=sync,
            journal=journal,
            flow=flow or FlowControl(),
            timing=timing or RaftTiming(),
            seat=seat,
        )
        surroundings = Surroundings(
            disk=self.disk,
            link=self.link,
            scheduler=self.loop,
            syncer=self.syncer,
            now=self.loop.now,
            chance=random.Random(1),
            fail_stop=self.failures.append,
            on_room=self._has_room,
        )
        self.member = Member(settings, self.machine, surroundings)
        self.engine = self.member.engine
        self.journal = self.member.journal
        self.driver = self.member.driver
        self.driver.start()

    def run(self, seconds: float = 0.05) -> None:
        self.timeline.run_until(self.timeline.now() + seconds)

    def connect(self, *peers: str) -> None:
        for peer in peers:
            self.driver.peer_connected(peer)
        self.run(0)

    def hear(self, peer: str, kind: str, **fields: object) -> None:
        """Receive a message and let the round that handles it finish."""
        if kind == "next_node_idx":
            fields.setdefault("stored_index", 0)
        self.driver.message_received(peer, {"type": kind, **fields}, 100)
        self.run(0.01)

    def hear_entries(
        self, peer: str, term: int, previous: tuple[int, int], *entries: tuple[bytes, int, int], **more
    ):
        self.hear(
            peer,
            "append_entries",
            **{
                "term": term,
                "sequence": 1,
                "commit_index": 0,
                "prevLogIdx": previous[0],
                "prevLogTerm": previous[1],
                "entries": entries,
                **more,
            },
        )

    def be_elected(self, *, voter: str = "b") -> None:
        """Go through an election that this peer supports, and learn that it has the first entry too."""
        while not (asked := self.link.take("pre_vote")):
            self.run(0.1)
        self.hear(voter, "pre_vote_ok", round=asked[0]["round"])
        self.hear(voter, "response_vote", term=self.engine.term)
        assert self.engine.is_leader
        self.acknowledge(voter)

    def acknowledge(self, peer: str, index: int | None = None, **more: object) -> None:
        index = self.journal.last_index if index is None else index
        fields = {"success": True, "reset": False, "is_full": False, "sequence": 1 << 40, "stored_index": 0}
        fields |= more
        self.hear(peer, "next_node_idx", term=self.engine.term, next_node_idx=index + 1, **fields)

    def _has_room(self) -> None:
        self.rooms += 1


def messages_of(chunks: Iterable[bytes], number: int = 1) -> list[PeerMessage]:
    """A whole transfer, as a leader would send it."""
    snapshot = OutgoingSnapshot(number, iter(chunks), floor_index=1)
    messages: list[PeerMessage] = []
    while (message := snapshot.next_message(1)) is not None:
        snapshot.acknowledged(message["number"])
        messages.append(message)
    return messages
