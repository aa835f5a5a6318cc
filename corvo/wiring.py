"""The composition root: builds one node from its settings, starts it and stops it. Sees everything.

    data folder -> store -> state machine -> consensus -> write path -> edge

Actors are made bottom-up, so that each gets the addresses it needs; they are stopped the other way round,
so that what one says last still arrives. Nothing here is global: three nodes fit in one process.
"""

import asyncio
import contextlib
import gc
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

import structlog

from corvo import __version__
from corvo.actors.batcher import Batcher, BatchSettings
from corvo.actors.bulk_runner import BulkRunner
from corvo.actors.bulk_watch import BulkWatch, CloseWatch
from corvo.actors.courier import CourierSettings, HttpCourier
from corvo.actors.cron import Timekeeper
from corvo.actors.event_hub import CloseHub, EventHub
from corvo.actors.feed import Feed
from corvo.actors.fetch_desk import FetchDesk
from corvo.actors.fetch_messages import CloseDesk
from corvo.actors.fsm import Fsm
from corvo.actors.inspector import Inspector
from corvo.actors.kernel.api import ActorAddress, named
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.kernel.supervise import exit_process
from corvo.actors.lease_watch import LeaseWatch
from corvo.actors.messages import AwaitIndex
from corvo.actors.mirror_reader import MirrorReader
from corvo.actors.mirror_writer import MirrorWriter
from corvo.actors.proposer import Proposer
from corvo.actors.scheduler import Scheduler
from corvo.actors.store_writer import StoreWriter
from corvo.actors.throughput import Throughput
from corvo.actors.upkeep_tasks import UpkeepSettings, tasks
from corvo.actors.waiting_room import WaitingRoom
from corvo.actors.webhook_messages import CloseWebhooks
from corvo.actors.webhooks import Webhooks, WebhookSettings
from corvo.config import Config
from corvo.consensus.api import Position
from corvo.consensus.raft import Raft
from corvo.consensus.settings import JournalLimits, RaftSettings
from corvo.core.clock import NS_PER_MS, Clock, SystemClock
from corvo.fsm.machine import Machine
from corvo.http.app import Edge
from corvo.http.context import Actors, Context
from corvo.http.routes.bulk_tasks import WORDING as BULK_WORDING
from corvo.http.schema.webhooks import pack
from corvo.http.server import HttpServer
from corvo.http.sse import WORDING
from corvo.storage.datadir import DataDir

log = structlog.get_logger()

#: Reads and entries share this mailbox, and an entry may never be turned away.
_FSM_MAILBOX = 1 << 20
#: An entry that finds no room here is read from the store instead, so this may be small.
_MIRROR_MAILBOX = 1_024
#: Replaying the journal after a crash may take a while on a slow machine.
_REPLAY_MS_MAX = 600_000
#: Threads must not wait five milliseconds for a busy loop to let go of the interpreter.
_SWITCH_INTERVAL_S = 0.0005
#: How long a stopping node waits for the places of its webhooks to be saved.
_LAST_SAVE_S_MAX = 1.0


class Node:
    """One running server. Make it with `start`."""

    def __init__(self, config: Config, *, clock: Clock, fail_stop: Callable[[str], None]) -> None:
        self._config = config
        self._clock = clock
        self.durable = config.durable != "off"
        self._data = DataDir(Path(config.data_dir), node_id=config.node_id)
        self._closing = contextlib.ExitStack()
        self._closing.callback(self._data.close)
        try:
            self._kv = self._data.open_store()
            self._closing.callback(self._kv.close)
            self._system = ActorSystem(fail_stop=fail_stop)
            self._courier = HttpCourier(
                self._system.tell,
                CourierSettings(config.webhook_timeout / 1_000, config.webhook_allow_private),
                clock,
            )
            self._machine = Machine(self._kv)
            self._fsm = self._make_fsm()
            self._raft = self._make_raft()
            self._actors = self._make_actors(self._raft)
            self._context = Context(config, self._system, self._actors, clock, durable=self.durable)
            self._closing.callback(self._context.close)
            self._edge = Edge(self._context)
            self._server = HttpServer(config, self._edge)
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
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
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
        await self._raft.start()
        # What the journal holds beyond the store is applied before anybody may ask.
        committed = self._raft.status().commit_index
        await self._system.ask(self._fsm, AwaitIndex(committed, _REPLAY_MS_MAX))
        self._server.start()
        self._data.note_running(self._server.address)
        # What lives by now lives long; the collector need not look at it again.
        gc.collect()
        gc.freeze()
        log.info(
            "node.started",
            version=__version__,
            http=self._server.address,
            data=str(self._data.path),
            index=self._machine.index,
            durable=self.durable,
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
        self._system.tell(self._actors.desk, CloseDesk())
        self._system.tell(self._actors.hub, CloseHub())
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

    # Parts

    def _make_fsm(self) -> ActorAddress:
        writer = self._system.createActor(
            named(StoreWriter, "store_writer", mailbox=_FSM_MAILBOX), self._kv, sync=self.durable
        )
        return self._system.createActor(
            named(Fsm, "fsm", mailbox=_FSM_MAILBOX), self._machine, writer, self._kv, self._clock
        )

    def _make_raft(self) -> Raft:
        config = self._config
        meta = self._machine.state.meta
        self._feed = Feed(self._system, self._fsm, self._kv, Position(meta.index, meta.term))
        settings = RaftSettings(
            node_id=config.node_id,
            directory=self._data.journal,
            sync="always" if self.durable else "never",
            journal=JournalLimits(cut_entries=config.snapshot_threshold, cut_bytes=config.snapshot_bytes),
        )
        return Raft(settings, self._feed, clock=self._clock)

    def _make_actors(self, raft: Raft) -> Actors:
        config, system, fsm = self._config, self._system, self._fsm
        proposer = system.createActor(named(Proposer, "proposer", mailbox=_FSM_MAILBOX), raft, fsm)
        self._feed.proposer = proposer
        batching = BatchSettings(
            ops_max=config.apply_batch_max,
            window=timedelta(microseconds=config.apply_batch_window_us),
            min_wait=timedelta(microseconds=config.apply_batch_min_wait_us),
            extend_at=config.apply_batch_extend_at,
            pending_ops_max=config.raft_max_pending,
        )
        batcher = system.createActor(
            named(Batcher, "batcher", mailbox=2 * config.raft_max_pending),
            proposer,
            fsm,
            batching,
            self._clock,
            Random(),  # noqa: S311 - for hints, not for secrets
        )
        upkeep = UpkeepSettings(
            max_lease_expirations=config.max_lease_expirations,
            retention_ns=config.retention * NS_PER_MS,
            retention_interval_ns=config.retention_interval * NS_PER_MS,
            events_kept=config.lifecycle_events_kept,
            events_age_ns=config.lifecycle_events_age * NS_PER_MS,
        )
        mirror = system.createActor(
            named(MirrorWriter, "mirror_writer", mailbox=_MIRROR_MAILBOX),
            self._kv,
            fsm,
            self._data.mirror,
            self._clock,
        )
        reader = system.createActor(MirrorReader, mirror, self._data.mirror)
        system.createActor(BulkRunner, batcher, fsm, reader, self._clock)
        return Actors(
            batcher=batcher,
            proposer=proposer,
            fsm=fsm,
            desk=system.createActor(FetchDesk, batcher, fsm, config.raft_max_fetch_inflight, self._clock),
            scheduler=system.createActor(Scheduler, batcher, fsm, tasks(upkeep), self._clock),
            timekeeper=system.createActor(Timekeeper, batcher, fsm, self._clock),
            throughput=system.createActor(
                named(Throughput, "throughput", mailbox=_FSM_MAILBOX), fsm, self._clock
            ),
            inspector=system.createActor(Inspector, self._kv, mirror),
            room=system.createActor(named(WaitingRoom, "waiting_room", mailbox=_FSM_MAILBOX), fsm),
            webhooks=system.createActor(
                named(Webhooks, "webhooks", mailbox=_FSM_MAILBOX),
                batcher,
                fsm,
                self._courier,
                pack,
                _webhook_settings(config),
                self._clock,
            ),
            hub=system.createActor(named(EventHub, "event_hub", mailbox=_FSM_MAILBOX), fsm, WORDING),
            mirror=mirror,
            reader=reader,
            bulk_watch=system.createActor(BulkWatch, fsm, BULK_WORDING),
            leases=system.createActor(named(LeaseWatch, "lease_watch", mailbox=_FSM_MAILBOX), fsm),
        )


def _webhook_settings(config: Config) -> WebhookSettings:
    """Events that nobody wanted are passed in the store well before the log forgets them."""
    return WebhookSettings(
        save_passing_after=timedelta(milliseconds=min(60_000, config.lifecycle_events_age // 4)),
        passing_max=min(10_000, config.lifecycle_events_kept // 10),
        disable_after_ns=config.webhook_disable_after * NS_PER_MS,
    )


async def serve(config: Config, stop: asyncio.Event) -> None:
    """Run a node until told to stop."""
    node = await Node.start(config)
    failed = asyncio.ensure_future(node.wait())
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({failed, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        await node.stop()
        await failed
