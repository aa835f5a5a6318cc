"""Node: one running server, started bottom-up and stopped the other way round. `corvo serve` runs one.

    data folder -> store -> state machine -> consensus -> write path -> edge

Nothing here is global: three nodes fit in one process.
"""

import asyncio
import contextlib
import gc
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import structlog

from corvo import __version__
from corvo.actors.bulk.messages import CloseWatch
from corvo.actors.cluster.messages import RosterChanged
from corvo.actors.events.messages import CloseHub
from corvo.actors.fetch.messages import CloseDesk, CloseJobWait
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.kernel.supervise import exit_process
from corvo.actors.state.questions import AwaitIndex
from corvo.actors.webhooks.messages import CloseWebhooks
from corvo.actors.webhooks.sender import HttpSender
from corvo.config import Config
from corvo.consensus.roster import Roster
from corvo.core.clock import NS_PER_MS, Clock, SystemClock
from corvo.fsm.machine import Machine
from corvo.http.api.app import Edge
from corvo.http.edges.factory import check as check_edge
from corvo.http.edges.factory import make_server
from corvo.http.serve.access.control import AccessControl
from corvo.http.serve.access.proxy_headers import ProxyHeaders
from corvo.http.serve.actors import Actors
from corvo.http.serve.context import EdgeContext
from corvo.http.wire.server import AddressTaken, bind, listen, spell
from corvo.node import tuning
from corvo.node.clustering import check_alone, link_identity, may_link, own_seat
from corvo.node.joining import find_cluster, is_member
from corvo.node.opening import check_open, first_key, may_be_open, own_credentials
from corvo.node.seal_keys import make_sealing
from corvo.node.seal_keys import reload as reload_keys
from corvo.node.wiring import Basis, make_fsm, make_raft, wire
from corvo.observe.event_loop import running_loop_name
from corvo.storage import keys
from corvo.storage.datadir import DataDir

log = structlog.get_logger()

#: Replaying the journal after a crash may take a while on a slow machine.
_REPLAY_MS_MAX = 600_000
#: How long a thread waits until another has to give up the interpreter. A thread that lets go of it for a
#: microsecond, to look something up, gets it back after this; Python's own five milliseconds are noticed.
_SWITCH_S = 0.001
#: How long a stopping node waits for the cursors of its webhooks to be saved.
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
        self._has_keys = False
        self._settling: asyncio.Task[None]
        self._data = DataDir(Path(config.data_dir), node_id=config.node_id)
        self._closing = contextlib.ExitStack()
        self._closing.callback(self._data.close)
        try:
            self._kv = self._data.open_store()
            self._closing.callback(self._kv.close)
            self._system = ActorSystem(fail_stop=fail_stop)
            self._sealing = make_sealing(config)
            self._sender = HttpSender(self._system.tell, tuning.delivering(config), clock)
            self._machine = Machine(self._kv)
            self._access, basis = self._make_basis()
            self._fsm = make_fsm(basis)
            http = bind(config.bind)
            self._closing.callback(http.close)
            self._link = self._listen_for_nodes()
            identity = link_identity(config, self._data.path)
            raft_address = spell(self._link) if self._link else config.raft_bind
            self._seat = own_seat(config, raft_address, spell(http), identity)
            self._raft, listener = make_raft(basis, self._fsm, self._seat, self._link, identity)
            listener.on_roster = self._roster_changed
            self._wired = wire(
                basis, self._fsm, self._raft, listener, self._seat, self._sender, self._condemned
            )
            self._actors = self._wired.actors
            self._context = EdgeContext(
                config,
                self._system,
                self._actors,
                clock,
                self._access,
                durable=self.durable,
                sealing=self._sealing,
            )
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
        async with self._raft.door():
            joined = await find_cluster(self._config, self._data, self._kv, self._seat, self._raft.ask)
        if joined is not None:
            self._raft.join(joined)
        self._joined_index = self._data.joined_index()
        self._access.settle(self._joined_index == 0)
        self._raft.mail_receiver = self._wired.inbox
        await self._raft.start()
        # What the journal holds beyond the store is applied before requests are taken.
        committed = self._raft.status().commit_index
        await self._system.ask(self._fsm, AwaitIndex(committed, _REPLAY_MS_MAX))
        self._settling = asyncio.create_task(self._settle(), name="settle")
        self._server.start()
        self._data.note_running(self._server.address, self._config.tls_cert)
        # What lives by now lives long; the collector need not look at it again.
        gc.collect()
        gc.freeze()
        sys.setswitchinterval(_SWITCH_S)
        log.info(
            "node.started",
            version=__version__,
            http=self._server.address,
            ui=f"{self._config.scheme}://{self._server.address}/ui/",
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
    def scheme(self) -> str:
        """Before its address: http, or https."""
        return self._config.scheme

    @property
    def system(self) -> ActorSystem:
        return self._system

    @property
    def actors(self) -> Actors:
        return self._actors

    def reload(self) -> asyncio.Future[None]:
        """Read again what may change while the node runs: the files of certificates, and seal keys. Those may
        take a moment; the future tells when they are there."""
        self._server.reload()
        self._reloading = asyncio.ensure_future(reload_keys(self._sealing, self._config))
        return self._reloading

    async def wait(self) -> None:
        await self._server.wait()

    async def stop(self) -> None:
        """Answer requests that wait, finish what was begun, leave the disk in order."""
        # Another node takes the lead before anything is closed here, so that clients need not notice.
        self._settling.cancel()
        await self._wired.handover.run()
        self._system.tell(self._actors.fetch_desk, CloseDesk())
        self._system.tell(self._actors.event_hub, CloseHub())
        self._system.tell(self._actors.job_wait, CloseJobWait())
        self._system.tell(self._actors.bulk_watch, CloseWatch())
        await self._server.stop()
        await self._close_webhooks()
        await self._raft.stop()
        left = await self._system.stop(self._config.shutdown_timeout / 1_000)
        self._closing.close()
        log.info("node.stopped", actors_left=left)

    async def _close_webhooks(self) -> None:
        """What was delivered is noted down, so that it is not delivered again; if that fails, it is."""
        await self._sender.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SAVE_S_MAX):
                await self._system.ask(self._actors.webhooks, CloseWebhooks())

    async def _settle(self) -> None:
        """A node that has just joined knows no keys. It lets nobody in until it has what the others know."""
        await self._system.ask(self._fsm, AwaitIndex(self._joined_index, _REPLAY_MS_MAX))
        self._access.settle(True)

    def _make_basis(self) -> tuple[AccessControl, Basis]:
        config, first = self._config, first_key(self._data.path)
        own = own_credentials(config, first)
        self._has_keys = bool(own) or self._kv.get(keys.SHUT) is not None
        check_open(config, has_credentials=self._has_keys)
        proxies = ProxyHeaders(config.proxy_networks())
        access = AccessControl(self._clock, own, may_be_open=may_be_open(config), proxies=proxies)
        return access, Basis(
            config,
            self._data,
            self._kv,
            self._machine,
            self._system,
            self._clock,
            self.durable,
            access,
            first,
            self._sealing,
        )

    # The cluster

    def _listen_for_nodes(self) -> socket.socket | None:
        stored = self._kv.get(keys.ROSTER)
        is_of_cluster = self._data.joined() is not None or (
            stored is not None and len(Roster.decode(stored).seats) > 1
        )
        if not may_link(self._config, has_keys=self._has_keys):
            check_alone(self._config, is_of_cluster=is_of_cluster)
            return None
        try:
            link = listen(self._config.raft_bind)
        except AddressTaken as reason:
            if is_of_cluster or self._config.join:
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
        """A node that catches up meets rosters from before it joined, maybe of an earlier membership: they
        say nothing about this one."""
        self._system.tell(self._wired.shared_settings_keeper, RosterChanged())
        if index < self._joined_index:
            return
        was_member, self._is_member = self._is_member, is_member(self._config.node_id, roster)
        if was_member and not self._is_member:
            log.warning("node.dismissed", node=self._config.node_id)
            self.dismissed.set()


async def serve(config: Config, stop: asyncio.Event, started: Callable[[Node], None] | None = None) -> None:
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
        if started is not None:
            started(node)
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
