"""Wiring, the composition root: makes the parts of one node from its settings and introduces them.

Actors are made bottom-up, so that each gets the addresses it needs.
"""

import socket
from collections.abc import Callable
from functools import partial
from random import Random
from typing import NamedTuple

from corvo.actors.access.keeper import AccessKeeper
from corvo.actors.access.messages import KeyUsed, SessionUsed
from corvo.actors.audit.stream import AuditStream
from corvo.actors.bulk.runner import BulkRunner
from corvo.actors.bulk.watch import BulkWatch
from corvo.actors.cluster.address_check import AddressCheck
from corvo.actors.cluster.cluster_stats import ClusterStats
from corvo.actors.cluster.handover import Handover
from corvo.actors.cluster.leader_forwarder import LeaderForwarder
from corvo.actors.cluster.node_inbox import NodeInbox
from corvo.actors.cluster.registrar import OwnNode, Registrar
from corvo.actors.cluster.replica_check import ReplicaCheck
from corvo.actors.cluster.shared_settings import SettingsChange, shared_settings_of
from corvo.actors.cluster.shared_settings_keeper import SharedSettingsKeeper
from corvo.actors.events.hub import EventHub
from corvo.actors.events.throughput import Throughput
from corvo.actors.fetch.fetch_desk import FetchDesk
from corvo.actors.fetch.job_wait import JobWait
from corvo.actors.fetch.lease_watch import LeaseWatch
from corvo.actors.kernel.api import ActorAddress, named
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.mirror.consistency_check import ConsistencyCheck
from corvo.actors.mirror.reader import MirrorReader
from corvo.actors.mirror.writer import MirrorWriter
from corvo.actors.state.consensus_listener import ConsensusListener
from corvo.actors.state.fsm import Fsm
from corvo.actors.state.store_writer import StoreWriter
from corvo.actors.time.schedule_firer import ScheduleFirer
from corvo.actors.time.scheduler import Scheduler
from corvo.actors.time.upkeep_tasks import tasks
from corvo.actors.webhooks.dispatcher import WebhookDispatcher
from corvo.actors.webhooks.sender import HttpSender
from corvo.actors.write.batcher import Batcher
from corvo.actors.write.proposer import Proposer
from corvo.config import Config
from corvo.consensus.api import MemberStatus, Position
from corvo.consensus.identity import NodeIdentity
from corvo.consensus.raft_node import RaftNode
from corvo.consensus.roster import Seat
from corvo.consensus.settings import JournalLimits, RaftSettings, RaftTiming
from corvo.core.clock import Clock
from corvo.fsm.machine import Machine
from corvo.http.api.routes.manage.bulk_tasks import WORDING as BULK_WORDING
from corvo.http.api.schema.audit import audit_line
from corvo.http.api.schema.webhooks import pack
from corvo.http.api.sse import wording
from corvo.http.serve.access.control import AccessControl
from corvo.http.serve.actors import Actors
from corvo.http.serve.sealing import Sealing
from corvo.node import tuning
from corvo.node.clustering import link_keys, link_tls
from corvo.node.opening import op_of
from corvo.storage.datadir import DataDir
from corvo.storage.first_key import FirstKey, taken_in
from corvo.storage.store_protocol import Store

#: Room in the batcher's mailbox for messages that are no writes and must never be turned away.
_BATCHER_AIR = 64
#: How long a node goes on by the keys it knows without hearing from the others. A revoked key counts no
#: longer than this, and the time to apply an entry, on any node.
_KEYS_AGE_S_MAX = 1.5
#: How long a stopping leader waits for another node to take over.
_HANDOVER_S = 2.0


class Basis(NamedTuple):
    """What every part is made from."""

    config: Config
    data: DataDir
    store: Store
    machine: Machine
    system: ActorSystem
    clock: Clock
    durable: bool
    access: AccessControl
    #: A key that the cluster does not know yet.
    first_key: FirstKey | None
    sealing: Sealing


class Wired(NamedTuple):
    """The actors of a node, and what has to be told when it starts and stops."""

    actors: Actors
    inbox: NodeInbox
    handover: Handover
    shared_settings_keeper: ActorAddress


def make_fsm(basis: Basis) -> ActorAddress:
    system, store = basis.system, basis.store
    writer = system.createActor(
        named(StoreWriter, "store_writer", mailbox=tuning.FSM_MAILBOX),
        store,
        sync=basis.durable,
        every_s=tuning.STORE_EVERY_S,
    )
    return system.createActor(
        named(Fsm, "fsm", mailbox=tuning.FSM_MAILBOX), basis.machine, writer, store, basis.clock
    )


def make_raft(
    basis: Basis,
    fsm: ActorAddress,
    seat: MemberStatus,
    link: socket.socket | None,
    identity: NodeIdentity | None,
) -> tuple[RaftNode, ConsensusListener]:
    """The node's seat in the cluster, and what hears from it. Without a link no node can join it."""
    config = basis.config
    meta = basis.machine.state.meta
    position = Position(meta.index, meta.term)
    listener = ConsensusListener(basis.system, fsm, basis.store, position, basis.data)
    settings = RaftSettings(
        node_id=config.node_id,
        directory=basis.data.journal,
        bind=config.raft_bind if link else None,
        listener=link,
        seat=Seat(seat.raft, seat.http, key=seat.key),
        tls=link_tls(config),
        link_keys=link_keys(config),
        identity=identity,
        timing=RaftTiming(handover_s=_HANDOVER_S),
        sync="always" if basis.durable else "never",
        journal=JournalLimits(cut_entries=config.snapshot_threshold, cut_bytes=config.snapshot_bytes),
    )
    return RaftNode(settings, listener, clock=basis.clock), listener


def wire(
    basis: Basis,
    fsm: ActorAddress,
    raft: RaftNode,
    listener: ConsensusListener,
    seat: MemberStatus,
    sender: HttpSender,
    condemned: Callable[[str], None],
) -> Wired:
    """All other actors, introduced to each other. `condemned` is called if this replica turns out wrong."""
    config, system, store, clock = basis.config, basis.system, basis.store, basis.clock
    shared_settings = shared_settings_of(config)
    proposer = system.createActor(named(Proposer, "proposer", mailbox=tuning.FSM_MAILBOX), raft, fsm)
    listener.proposer = proposer
    inbox = NodeInbox(system, raft)
    forwarder = system.createActor(
        named(LeaderForwarder, "leader_forwarder", mailbox=tuning.FSM_MAILBOX),
        inbox,
        fsm,
        tuning.forwarding(config),
        clock,
    )
    batcher = system.createActor(
        named(Batcher, "batcher", mailbox=2 * config.raft_max_pending + _BATCHER_AIR),
        proposer,
        fsm,
        tuning.batching(config),
        clock,
        Random(),  # noqa: S311 - for hints, not for secrets
        forwarder,
    )
    inbox.forwarder, inbox.batcher = forwarder, batcher
    handover = Handover(system, raft, batcher, forwarder)
    own = OwnNode(config.node_id, seat, shared_settings)
    check = AddressCheck(system, raft)
    registrar = system.createActor(Registrar, own, raft, inbox, fsm, handover.begin, check.begin, clock)
    inbox.registrar = handover.registrar = check.registrar = registrar
    change = SettingsChange(is_due=config.change_settings)
    keeper = system.createActor(SharedSettingsKeeper, shared_settings, raft, batcher, fsm, change)
    access_keeper = system.createActor(
        AccessKeeper,
        batcher,
        fsm,
        basis.access.learn,
        None if basis.first_key is None else op_of(basis.first_key),
        lambda: taken_in(basis.data.path),
    )
    basis.access.is_current = lambda: raft.is_current(_KEYS_AGE_S_MAX)
    basis.access.note_use = lambda key_id, at_ns: system.tell(access_keeper, KeyUsed(key_id, at_ns))
    basis.access.note_session = lambda session_id, at_ns: system.tell(
        access_keeper, SessionUsed(session_id, at_ns)
    )
    mirror_writer = system.createActor(
        named(MirrorWriter, "mirror_writer", mailbox=tuning.MIRROR_MAILBOX),
        store,
        fsm,
        basis.data.mirror,
        clock,
    )
    cluster_stats = system.createActor(ClusterStats, config.node_id, raft, inbox, fsm, mirror_writer, clock)
    replica_check = system.createActor(ReplicaCheck, config.node_id, raft, inbox, fsm, condemned)
    inbox.cluster_stats, inbox.replica_check = cluster_stats, replica_check
    mirror_reader = system.createActor(MirrorReader, mirror_writer, basis.data.mirror)
    if config.audit_to:
        stream = named(AuditStream, "audit_stream", mailbox=tuning.MIRROR_MAILBOX)
        system.createActor(stream, fsm, config.audit_to, audit_line)
    system.createActor(BulkRunner, batcher, fsm, mirror_reader, clock, basis.sealing)
    actors = Actors(
        batcher=batcher,
        forwarder=forwarder,
        registrar=registrar,
        cluster_stats=cluster_stats,
        replica_check=replica_check,
        proposer=proposer,
        fsm=fsm,
        fetch_desk=system.createActor(
            named(FetchDesk, "fetch_desk", mailbox=tuning.DESK_MAILBOX),
            batcher,
            fsm,
            config.raft_max_fetch_inflight,
            clock,
        ),
        scheduler=system.createActor(Scheduler, batcher, fsm, tasks(tuning.upkeep(config)), clock),
        schedule_firer=system.createActor(ScheduleFirer, batcher, fsm, clock),
        throughput=system.createActor(
            named(Throughput, "throughput", mailbox=tuning.FSM_MAILBOX), fsm, clock
        ),
        consistency_check=system.createActor(ConsistencyCheck, store, mirror_writer),
        job_wait=system.createActor(named(JobWait, "job_wait", mailbox=tuning.FSM_MAILBOX), fsm),
        webhooks=system.createActor(
            named(WebhookDispatcher, "webhooks", mailbox=tuning.FSM_MAILBOX),
            batcher,
            fsm,
            sender,
            partial(pack, opened=basis.sealing.event),
            tuning.webhooks(config),
            clock,
        ),
        event_hub=system.createActor(
            named(EventHub, "event_hub", mailbox=tuning.FSM_MAILBOX), fsm, wording(basis.sealing.event)
        ),
        mirror_writer=mirror_writer,
        mirror_reader=mirror_reader,
        bulk_watch=system.createActor(BulkWatch, fsm, BULK_WORDING),
        lease_watch=system.createActor(named(LeaseWatch, "lease_watch", mailbox=tuning.FSM_MAILBOX), fsm),
    )
    return Wired(actors, inbox, handover, keeper)
