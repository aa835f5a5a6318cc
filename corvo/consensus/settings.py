"""The settings of one consensus group, as frozen structs. Nothing in consensus reads the environment."""

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from corvo.consensus.identity import NodeIdentity
from corvo.consensus.roster import Roster, Seat
from corvo.core.hosts import is_node_id

MIB: Final = 1024 * 1024

#: The largest command. A request body of 16 MiB must fit into one entry with room for what the ops add.
COMMAND_BYTES_MAX: Final = 24 * MIB
#: Entries in one replication message, however small they are.
MESSAGE_ENTRIES_MAX: Final = 1_024

NODE_ID_BYTES_MAX: Final = 128
#: The largest piece of a snapshot.
CHUNK_BYTES_MAX: Final = 256 * 1024

#: "always" syncs before every promise. "never" trusts the kernel: safe from kill -9, not from a power cut.
SyncMode = Literal["always", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaftTiming:
    """Seconds. The defaults suit machines in one region; `LAN` suits one rack."""

    election_s_min: float = 0.4
    election_s_max: float = 0.8
    heartbeat_s: float = 0.1
    #: A leader that hears from no majority for this long steps down.
    leader_fallback_s: float = 1.5
    #: A proposal is answered within this time, if only with "unknown".
    proposal_s: float = 10.0
    connect_retry_s: float = 0.3
    #: Silence on a connection after which it counts as dead.
    silence_s: float = 3.5
    hello_s: float = 2.0
    #: How long a visitor, such as a node that asks to join, may wait for its answer.
    visit_s: float = 10.0
    #: How long a snapshot is held for a follower that is cut off in the middle of it.
    snapshot_hold_s: float = 60.0
    #: How long a stopping leader waits for a follower to take over.
    handover_s: float = 0.5

    def __post_init__(self) -> None:
        assert self.election_s_min > 3 * self.heartbeat_s, "a lost heartbeat must not start an election"
        assert self.election_s_max > self.election_s_min, "followers must not all wake at once"
        assert self.leader_fallback_s > self.heartbeat_s
        assert self.silence_s >= self.election_s_max


LAN: Final = RaftTiming(election_s_min=0.15, election_s_max=0.3, heartbeat_s=0.045)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLimits:
    """How large the log's files grow and when it is cut."""

    #: A segment is closed at this size. A larger entry makes one larger segment.
    segment_bytes: int = 16 * MIB
    #: Space is claimed in these steps ahead of need, so that a full disk is known before a command is taken.
    step_bytes: int = 4 * MIB
    cut_entries: int = 10_000
    cut_bytes: int = 64 * MIB
    #: Entries kept behind the state machine, so that a follower briefly away needs no snapshot.
    #: Never more than half of what makes a log long.
    keep_entries: int = 1_000
    keep_bytes: int = 8 * MIB
    #: A lagging follower holds the log back until the log is this many times its normal size.
    hold_factor: int = 4

    def __post_init__(self) -> None:
        assert 0 < self.step_bytes <= self.segment_bytes
        assert self.cut_entries > 0
        assert self.cut_bytes > 0
        assert self.hold_factor >= 1

    def fitted(self, bytes_total: int) -> "JournalLimits":
        """These limits, or smaller ones that leave most of the disk to the data, be it a tmpfs of 32 MB."""
        if bytes_total <= 0:
            return self  # Some file systems do not say.
        return replace(
            self,
            segment_bytes=min(self.segment_bytes, max(bytes_total // 32, MIB // 4)),
            step_bytes=min(self.step_bytes, max(bytes_total // 64, MIB // 4)),
            cut_bytes=min(self.cut_bytes, max(bytes_total // 8, MIB)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowControl:
    """How much is done, or on its way, at once."""

    #: A replication message closes at this size, or holds one larger entry.
    message_bytes: int = 1 * MIB
    #: Bytes sent to a follower and not yet acknowledged by it.
    window_bytes: int = 4 * MIB
    #: Entries, and bytes of entries, handed to the state machine before the loop gets a turn.
    apply_entries: int = 256
    apply_bytes: int = 16 * MIB
    #: What the state machine may have applied and not stored before it is given no more. A question to
    #: it waits behind that: 8 MiB of jobs take most of a second.
    unstored_entries: int = 256
    unstored_bytes: int = 8 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """Contexts for the node link. Both ends prove their identity: the certificate's CN is the node id."""

    server: ssl.SSLContext
    client: ssl.SSLContext

    def __post_init__(self) -> None:
        for context in (self.server, self.client):
            assert context.verify_mode is ssl.CERT_REQUIRED, "the other end must show a certificate"
        assert not self.client.check_hostname, "identity is the CN; a node's host name may change"

    @classmethod
    def from_files(cls, *, authority: Path, certificate: Path, key: Path) -> "Tls":
        """Contexts for a node with this certificate, trusting those of this authority. All files are PEM."""
        server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority)
        client = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=authority)
        client.check_hostname = False
        for context in (server, client):
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_cert_chain(certificate, key)
        return cls(server=server, client=client)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaftSettings:
    node_id: str
    #: Where the segments of the log live. This folder belongs to the journal alone.
    directory: Path
    #: The other members, until the log names them: node id -> "host:port". Empty means a node on its own.
    peers: Mapping[str, str] = field(default_factory=dict)
    #: "host:port" to listen on. Without it a node is alone and stays so.
    bind: str | None = None
    #: A socket that is bound to it already, if the caller had to know the port.
    listener: socket.socket | None = None
    #: Where this node wants to be found. Without it membership is fixed and never written down.
    seat: Seat | None = None
    #: Whether this node has asked the peers to be taken in, and has no vote before they do.
    is_joining: bool = False
    #: Nodes with another cluster id are strangers, even with the right certificate.
    cluster_id: str = "corvo"
    sync: SyncMode = "always"
    timing: RaftTiming = RaftTiming()
    flow: FlowControl = FlowControl()
    #: Made to fit when the disk is small.
    journal: JournalLimits = JournalLimits()
    tls: Tls | None = None
    #: Made from the cluster's secret; both ends of every connection must have one in common. A second one is
    #: there while the secret is changed.
    link_keys: tuple[bytes, ...] = ()
    #: What this node proves its name with, under the secret.
    identity: NodeIdentity | None = None

    def __post_init__(self) -> None:
        for node_id in (self.node_id, *self.peers):
            assert is_node_id(node_id), f"{node_id!r} is no id of a node"
        assert self.node_id not in self.peers, "peers are the others"
        assert not self.peers or self.bind, "a node with peers needs an address to listen on"

    def first_roster(self) -> Roster:
        """The members of the group, as far as the settings know. Keys are noted once all have them."""
        seats = {peer: Seat(address) for peer, address in self.peers.items()}
        if not self.is_joining:
            seats[self.node_id] = replace(self.seat or Seat(self.bind or ""), key="")
        return Roster(seats)
