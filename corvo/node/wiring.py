"""The composition root: builds one node from its settings, starts it and stops it. Sees everything.

    data folder -> store -> state machine -> consensus -> write path -> edge

Actors are made bottom-up, so that each gets the addresses it needs; they are stopped the other way round,
so that what one says last still arrives. Nothing here is global: three nodes fit in one process.
"""

import asyncio
import contextlib
import gc
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import structlog

from corvo import __version__
from corvo.actors.bulk.runner import BulkRunner
from corvo.actors.bulk.watch import BulkWatch, CloseWatch
from corvo.actors.cluster.cluster_stats import Surveyor
from corvo.actors.cluster.handover import Handover
from corvo.actors.cluster.leader_forwarder import Envoy
from corvo.actors.cluster.messages import RosterChanged
from corvo.actors.cluster.node_inbox import Postbox
from corvo.actors.cluster.registrar import OwnNode, Registrar
from corvo.actors.cluster.replica_check import Auditor
from corvo.actors.cluster.shared_settings import Change, rules_of
from corvo.actors.cluster.shared_settings_keeper import Rulekeeper
from corvo.actors.events.hub import CloseHub, EventHub
from corvo.actors.events.throughput import Throughput
from corvo.actors.fetch.fetch_desk import FetchDesk
from corvo.actors.fetch.job_wait import CloseRoom, WaitingRoom
from corvo.actors.fetch.lease_watch import LeaseWatch
from corvo.actors.fetch.messages import CloseDesk
from corvo.actors.kernel.api import ActorAddress, named
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.kernel.supervise import exit_process
from corvo.actors.messages import AwaitIndex
from corvo.actors.mirror.consistency_check import Inspector
from corvo.actors.mirror.reader import MirrorReader
from corvo.actors.mirror.writer import MirrorWriter
from corvo.actors.state.consensus_listener import Feed
from corvo.actors.state.fsm import Fsm
from corvo.actors.state.store_writer import StoreWriter
from corvo.actors.time.schedule_firer import Timekeeper
from corvo.actors.time.scheduler import Scheduler
from corvo.actors.time.upkeep_tasks import tasks
from corvo.actors.webhooks.dispatcher import Webhooks
from corvo.actors.webhooks.messages import CloseWebhooks
from corvo.actors.webhooks.sender import HttpCourier
from corvo.actors.write.batcher import Batcher
from corvo.actors.write.proposer import Proposer
from corvo.config import Config
from corvo.consensus.api import Position
from corvo.consensus.raft_node import Raft
from corvo.consensus.roster import Roster, Seat
from corvo.consensus.settings import JournalLimits, RaftSettings, Timing
from corvo.core.clock import NS_PER_MS, Clock, SystemClock
from corvo.fsm.machine import Machine
from corvo.http.api.app import Edge
from corvo.http.api.routes.manage.bulk_tasks import WORDING as BULK_WORDING
from corvo.http.api.schema.webhooks import pack
from corvo.http.api.sse import WORDING
from corvo.http.edges.factory import check as check_edge
from corvo.http.edges.factory import make_server
from corvo.http.serve.context import Actors, Context
from corvo.http.wire.server import AddressTaken, bind, listen, spell
from corvo.node import tuning
from corvo.node.clustering import check_exposure, link_key, link_tls, own_seat
from corvo.node.joining import find_cluster, is_member
from corvo.observe.event_loop import running_loop_name
from corvo.storage import keys
from corvo.storage.datadir import DataDir

log = structlog.get_logger()

#: Replaying the journal after a crash may take a while on a slow machine.
_REPLAY_MS_MAX = 600_000
#: How long a thread waits until another has to give up the interpreter. Whoever lets it go for a microsecond,
#: to look something up, gets it back after that at the latest; Python's own five milliseconds are noticed.
_SWITCH_S = 0.001
#: Room in the batcher's mailbox for what is not a write, and must never be turned away.
_BATCHER_AIR = 64
#: How long a stopping leader waits for somebody to take over.
_HANDOVER_S = 2.0
#: How long a stopping node waits for the places of its webhooks to be saved.
_LAST_SAVE_S_MAX = 1.0


class Node:
    """One running server. Make it with `start`."""

    def __init__(self, config: Config, *, clock: Clock, fail_stop: Callable[[str], None]) -> None:
        check_edge(config)
        self._config = config
        self._clock = clock
        self._fail_stop = fail_stop
        self.durable = config.durable != "off"
        #: Set when the cluster has removed this node.
        self.dismissed = asyncio.Event()
        self._is_member = False
        self._joined_index = 0
        self._data = DataDir(Path(config.data_dir), node_id=config.node_id)
        self._closing = contextlib.ExitStack()
        self._closing.callback(self._data.close)
        try:
            self._kv = self._data.open_store()
            self._closing.callback(self._kv.close)
            self._system = ActorSystem(fail_stop=fail_stop)
            self._courier = HttpCourier(self._system.tell, tuning.delivering(config), clock)
            self._machine = Machine(self._kv)
            self._fsm = self._make_fsm()
            http = bind(config.bind)
            self._closing.callback(http.close)
            self._link = self._listen_for_nodes()
            self._seat = own_seat(config, spell(self._link) if self._link else config.raft_bind, spell(http))
            self._raft = self._make_raft()
            self._actors = self._make_actors(self._raft)
            self._context = Context(config, self._system, self._actors, clock, durable=self.durable)
            self._closing.callback(self._context.close)
            self._edge = Edge(self._context)
            self._server = make_server(config, self._edge, http)
            self._closing.callback(self._server.close)
        except BaseException:
            self._closing.close()
            raise

    @classmethod
    async def start(
        cls,
        config: Config,
        *,
        clock: Clock | None = None,
        fail_stop: Callable[[str], None] = exit_process,
    ) -> "Node":
        """A node that answers requests when this returns."""
        node = cls(config, clock=clock or SystemClock(), fail_stop=fail_stop)
        try:
            await node._run()
        except BaseException:
            await node._system.stop(1.0)
            node._closing.close()
            raise
        return node

    async def _run(self) -> None:
        started_ns = self._clock.monotonic_ns()
        self._is_member = is_member(self._config.node_id, self._kv.get(keys.ROSTER))
        joined = await find_cluster(self._config, self._data, self._kv, self._seat, self._raft.ask)
        if joined is not None:
            self._raft.join(joined)
        self._joined_index = self._data.joined_index()
        self._raft.postbox = self._postbox
        await self._raft.start()
        # What the journal holds beyond the store is applied before anybody may ask.
        committed = self._raft.status().commit_index
        await self._system.ask(self._fsm, AwaitIndex(committed, _REPLAY_MS_MAX))
        self._server.start()
        self._data.note_running(self._server.address)
        # What lives by now lives long; the collector need not look at it again.
        gc.collect()
        gc.freeze()
        sys.setswitchinterval(_SWITCH_S)
        log.info(
            "node.started",
            version=__version__,
            http=self._server.address,
            ui=f"http://{self._server.address}/ui/",
            data=str(self._data.path),
            index=self._machine.index,
            durable=self.durable,
            edge=self._config.edge,
            edge_workers=self._config.edge_workers,
            loop=running_loop_name(),
            took_ms=(self._clock.monotonic_ns() - started_ns) // NS_PER_MS,
        )

    @property
    def address(self) -> str:
        return self._server.address

    @property
    def system(self) -> ActorSystem:
        return self._system

    @property
    def actors(self) -> Actors:
        return self._actors

    async def wait(self) -> None:
        await self._server.wait()

    async def stop(self) -> None:
        """Answer who waits, finish what was begun, leave the disk in order."""
        # While somebody else can lead, nobody needs to notice; so this comes before anything is closed.
        await self._handover.run()
        self._system.tell(self._actors.desk, CloseDesk())
        self._system.tell(self._actors.hub, CloseHub())
        self._system.tell(self._actors.room, CloseRoom())
        self._system.tell(self._actors.bulk_watch, CloseWatch())
        await self._server.stop()
        await self._close_webhooks()
        await self._raft.stop()
        left = await self._system.stop(self._config.shutdown_timeout / 1_000)
        self._closing.close()
        log.info("node.stopped", actors_left=left)

    async def _close_webhooks(self) -> None:
        """What was delivered is noted down, so that it is not delivered again; if that fails, it is."""
        await self._courier.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SAVE_S_MAX):
                await self._system.ask(self._actors.webhooks, CloseWebhooks())

    # The cluster

    def _listen_for_nodes(self) -> socket.socket | None:
        check_exposure(self._config)
        try:
            link = listen(self._config.raft_bind)
        except AddressTaken as reason:
            stored = self._kv.get(keys.ROSTER)
            is_alone = stored is None or len(Roster.decode(stored).seats) == 1
            if not is_alone or self._config.join or self._data.joined() is not None:
                raise
            log.warning("link.not_listening", reason=str(reason), consequence="no node can join this one")
            return None
        self._closing.callback(link.close)
        return link

    def _condemned(self, reason: str) -> None:
        """This replica is wrong. It stops at once, and for good."""
        log.critical("node.condemned", reason=reason)
        self._data.condemn(reason)
        self._fail_stop(f"{reason}; see corvo serve for what to do")

    def _roster_changed(self, index: int, roster: bytes) -> None:
        """A node that catches up meets rosters from before its time, maybe of a former life: they say nothing
        about this one."""
        self._system.tell(self._rulekeeper, RosterChanged())
        if index < self._joined_index:
            return
        was_member, self._is_member = self._is_member, is_member(self._config.node_id, roster)
        if was_member and not self._is_member:
            log.warning("node.dismissed", node=self._config.node_id)
            self.dismissed.set()

    # Parts

    def _make_fsm(self) -> ActorAddress:
        writer = self._system.createActor(
            named(StoreWriter, "store_writer", mailbox=tuning.FSM_MAILBOX),
            self._kv,
            sync=self.durable,
            every_s=tuning.STORE_EVERY_S,
        )
        return self._system.createActor(
            named(Fsm, "fsm", mailbox=tuning.FSM_MAILBOX), self._machine, writer, self._kv, self._clock
        )

    def _make_raft(self) -> Raft:
        config = self._config
        meta = self._machine.state.meta
        position = Position(meta.index, meta.term)
        self._feed = Feed(self._system, self._fsm, self._kv, position, self._data)
        self._feed.on_roster = self._roster_changed
        settings = RaftSettings(
            node_id=config.node_id,
            directory=self._data.journal,
            bind=config.raft_bind if self._link else None,
            listener=self._link,
            seat=Seat(self._seat.raft, self._seat.http),
            tls=link_tls(config),
            link_key=link_key(config),
            timing=Timing(handover_s=_HANDOVER_S),
            sync="always" if self.durable else "never",
            journal=JournalLimits(cut_entries=config.snapshot_threshold, cut_bytes=config.snapshot_bytes),
        )
        return Raft(settings, self._feed, clock=self._clock)

    def _make_actors(self, raft: Raft) -> Actors:
        config, system, fsm = self._config, self._system, self._fsm
        rules = rules_of(config)
        proposer = system.createActor(named(Proposer, "proposer", mailbox=tuning.FSM_MAILBOX), raft, fsm)
        self._feed.proposer = proposer
        self._postbox = Postbox(system, raft)
        envoy = system.createActor(
            named(Envoy, "envoy", mailbox=tuning.FSM_MAILBOX),
            self._postbox,
            fsm,
            tuning.envoying(config),
            self._clock,
        )
        batcher = system.createActor(
            named(Batcher, "batcher", mailbox=2 * config.raft_max_pending + _BATCHER_AIR),
            proposer,
            fsm,
            tuning.batching(config),
            self._clock,
            Random(),  # noqa: S311 - for hints, not for secrets
            envoy,
        )
        self._postbox.envoy, self._postbox.batcher = envoy, batcher
        self._handover = Handover(system, raft, batcher, envoy)
        registrar = system.createActor(
            Registrar,
            OwnNode(config.node_id, self._seat, rules),
            raft,
            self._postbox,
            fsm,
            self._handover.begin,
            self._clock,
        )
        self._rulekeeper = system.createActor(
            Rulekeeper, rules, raft, batcher, fsm, Change(is_due=config.change_settings)
        )
        self._postbox.registrar = self._handover.registrar = registrar
        mirror = system.createActor(
            named(MirrorWriter, "mirror_writer", mailbox=tuning.MIRROR_MAILBOX),
            self._kv,
            fsm,
            self._data.mirror,
            self._clock,
        )
        surveyor = system.createActor(Surveyor, config.node_id, raft, self._postbox, fsm, mirror, self._clock)
        self._postbox.surveyor = surveyor
        auditor = system.createActor(Auditor, config.node_id, raft, self._postbox, fsm, self._condemned)
        self._postbox.auditor = auditor
        reader = system.createActor(MirrorReader, mirror, self._data.mirror)
        system.createActor(BulkRunner, batcher, fsm, reader, self._clock)
        return Actors(
            batcher=batcher,
            envoy=envoy,
            registrar=registrar,
            surveyor=surveyor,
            auditor=auditor,
            proposer=proposer,
            fsm=fsm,
            desk=system.createActor(
                named(FetchDesk, "fetch_desk", mailbox=tuning.DESK_MAILBOX),
                batcher,
                fsm,
                config.raft_max_fetch_inflight,
                self._clock,
            ),
            scheduler=system.createActor(Scheduler, batcher, fsm, tasks(tuning.upkeep(config)), self._clock),
            timekeeper=system.createActor(Timekeeper, batcher, fsm, self._clock),
            throughput=system.createActor(
                named(Throughput, "throughput", mailbox=tuning.FSM_MAILBOX), fsm, self._clock
            ),
            inspector=system.createActor(Inspector, self._kv, mirror),
            room=system.createActor(named(WaitingRoom, "waiting_room", mailbox=tuning.FSM_MAILBOX), fsm),
            webhooks=system.createActor(
                named(Webhooks, "webhooks", mailbox=tuning.FSM_MAILBOX),
                batcher,
                fsm,
                self._courier,
                pack,
                tuning.webhooks(config),
                self._clock,
            ),
            hub=system.createActor(named(EventHub, "event_hub", mailbox=tuning.FSM_MAILBOX), fsm, WORDING),
            mirror=mirror,
            reader=reader,
            bulk_watch=system.createActor(BulkWatch, fsm, BULK_WORDING),
            leases=system.createActor(named(LeaseWatch, "lease_watch", mailbox=tuning.FSM_MAILBOX), fsm),
        )


async def serve(config: Config, stop: asyncio.Event) -> None:
    """Run a node until told to stop."""
    stopping = asyncio.ensure_future(stop.wait())
    starting = asyncio.ensure_future(Node.start(config))
    await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        # It waits to be taken in by a cluster.
        starting.cancel()
        await asyncio.wait({starting})
        return
    try:
        node = starting.result()
        failed = asyncio.ensure_future(node.wait())
    except BaseException:
        stopping.cancel()
        raise
    dismissed = asyncio.ensure_future(node.dismissed.wait())
    try:
        await asyncio.wait({failed, stopping, dismissed}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        dismissed.cancel()
        await node.stop()
        await failed
