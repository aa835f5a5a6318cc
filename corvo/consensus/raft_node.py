"""Raft node: a member of the group as the rest of the server uses it, with real disk, sockets and time.

batcher -> proposer -> [raft node] -> fsm -> store

raft = RaftNode(RaftSettings(node_id="n1", directory=Path("data/journal")), listener)
await raft.start()
raft.propose(b"...", ticket)
"""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import structlog

from corvo.consensus.api import CommitListener, ConsensusStatus, MemberStatus, Position, Role
from corvo.consensus.errors import FailStop, exit_process
from corvo.consensus.journal.disk import Disk, OsDisk
from corvo.consensus.journal.sync_job import SyncJob
from corvo.consensus.journal.syncer import ThreadSyncer
from corvo.consensus.link import join_client
from corvo.consensus.link.doorkeeper import Doorkeeper
from corvo.consensus.link.join_client import JoinRequestFailed, NodeFound
from corvo.consensus.link.mesh import MailReceiver, Mesh
from corvo.consensus.link.protocol import PeerLink, PeerMessage
from corvo.consensus.raft.context import Surroundings
from corvo.consensus.raft.member import Member
from corvo.consensus.raft.stats import RaftStats
from corvo.consensus.settings import RaftSettings
from corvo.core.clock import NS_PER_S, Clock, SystemClock
from corvo.core.errors import NotLeader

log = structlog.get_logger()

#: How long a stopping node waits for its disk. One that hangs longer is left to the kernel.
_LAST_SYNC_S: Final = 5.0


class RaftNode:
    """Implements the Consensus protocol."""

    def __init__(
        self,
        settings: RaftSettings,
        listener: CommitListener,
        *,
        clock: Clock | None = None,
        disk: Disk | None = None,
        chance: random.Random | None = None,
        fail_stop: FailStop = exit_process,
    ) -> None:
        self._settings = settings
        self._listener = listener
        self._clock = clock or SystemClock()
        self._disk = disk
        self._chance = chance or random.SystemRandom()
        self._fail_stop = fail_stop
        self._mesh: Mesh | None = None
        self._syncer: ThreadSyncer | None = None
        self._member: Member | None = None
        self._is_stopping = False
        #: Where mail goes; set before the start.
        self.mail_receiver: MailReceiver | None = None

    # Life

    async def start(self) -> None:
        """Read the journal and join the group. Raises RefusedToStart, or OSError if the port is taken.

        A node that has the only vote leads when this returns.
        """
        assert self._member is None, "a node is started once"
        loop = asyncio.get_running_loop()
        disk = self._disk or OsDisk(self._settings.directory)
        if self._settings.bind is not None:
            self._mesh = Mesh(self._settings, self._now_s)
            self._mesh.mail_receiver = self.mail_receiver
        link: PeerLink = self._mesh or _Alone()
        self._syncer = ThreadSyncer(loop, name=f"corvo-sync-{self._settings.node_id}")
        surroundings = Surroundings(
            disk=disk,
            link=link,
            scheduler=loop,
            syncer=self._syncer,
            now=self._now_s,
            chance=self._chance,
            fail_stop=self._fail_stop,
            on_room=self._mesh.resume if self._mesh else _nothing,
        )
        try:
            self._member = Member(self._settings, self._listener, surroundings)
            if self._mesh is not None:
                await self._mesh.start(self._member.driver)
        except BaseException:
            self._syncer.close()
            if self._member is None:
                disk.close()
            else:
                self._member.journal.close()
            raise
        leads = self._until(leading=True)
        self._member.driver.start()
        if self._member.engine.is_voter and not self._member.engine.voting_peers:
            await leads

    def door(self) -> Doorkeeper:
        """As long as it is entered, and before the start: others can see which node listens here."""
        assert self._member is None
        return Doorkeeper(self._settings, self._now_s)

    async def look(self, address: str) -> NodeFound:
        """Which node listens at this address, having proven to know the secret. Raises JoinRequestFailed."""
        if self._settings.bind is None:
            raise JoinRequestFailed(
                "this node has no link to other nodes; start it with --cluster-secret-file, or certificates"
            )
        return await join_client.look(self._settings, address, self._now_s)

    async def ask(self, address: str, node_message: bytes) -> bytes:
        """Ask the node at this address, before this node is a member. Raises JoinRequestFailed."""
        return await join_client.ask(self._settings, address, node_message, self._now_s)

    def join(self, peers: Mapping[str, str]) -> None:
        """Before the start: these nodes have taken this one in, or will; it has no vote at first."""
        assert self._member is None
        self._settings = replace(self._settings, peers=dict(peers), is_joining=True)

    async def stop(self) -> None:
        """Hand the lead over if a follower can take it, answer every open ticket, leave the disk in order."""
        if self._member is None or self._syncer is None or not self._member.driver.is_running:
            return
        await self.hand_over()
        self._is_stopping = True
        self._member.driver.stop()
        if self._mesh is not None:
            await self._mesh.stop()
        await self._sync_and_close(self._member, self._syncer)

    # Consensus

    def propose(self, command: bytes, ticket: object) -> None:
        self._running().propose(command, ticket)

    def stored(self, position: Position) -> None:
        assert self._member is not None
        self._member.stored(position)

    def admit(self, node_id: str, member: MemberStatus, ticket: object) -> bool:
        return self._running().admit(node_id, member, ticket)

    def dismiss(self, node_id: str, ticket: object) -> bool:
        return self._running().dismiss(node_id, ticket)

    def forget_key(self, node_id: str, ticket: object) -> bool:
        return self._running().forget_key(node_id, ticket)

    def post(self, peer: str, node_message: bytes) -> bool:
        return self._mesh is not None and self._mesh.post(peer, node_message)

    def is_member(self, peer: str) -> bool:
        """Whether the roster in force has this node."""
        return self._mesh is not None and self._mesh.is_member(peer)

    def _running(self) -> Member:
        if self._member is None or self._is_stopping:
            raise NotLeader("this node has not started or is stopping")
        return self._member

    def status(self) -> ConsensusStatus:
        assert self._member is not None, "a node has a status once it is started"
        return self._member.status()

    def is_current(self, within_s: float) -> bool:
        return self._member is not None and self._member.engine.is_current(within_s)

    @property
    def stats(self) -> RaftStats:
        assert self._member is not None, "a node has counters once it is started"
        return self._member.stats

    @property
    def port(self) -> int | None:
        """The port of the node link, or None without one."""
        return None if self._mesh is None else self._mesh.port

    # Steps of starting and stopping

    def _now_s(self) -> float:
        return self._clock.monotonic_ns() / NS_PER_S

    def _until(self, *, leading: bool) -> asyncio.Future[None]:
        """Done when this node leads, or when it no longer does, and in any case when it has stopped."""
        assert self._member is not None
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def look(role: Role) -> None:
            if not done.done() and ((role is Role.LEADER) == leading or role is Role.STOPPED):
                done.set_result(None)

        self._member.driver.on_role = look
        return done

    async def hand_over(self, heir: str | None = None) -> bool:
        """Have a follower take the lead once it has everything. Not every group has one that can.

        The caller sees to it that nothing more is proposed, or the follower may never catch up.
        """
        member = self._member
        if self._mesh is None or member is None or member.role is not Role.LEADER:
            return False
        if not member.engine.voting_peers:
            return False
        follows = self._until(leading=False)
        member.engine.hand_over(patiently=True, heir=heir)
        member.driver.wake()
        try:
            async with asyncio.timeout(self._settings.timing.handover_s):
                await follows
        except TimeoutError:
            member.engine.keep_lead()
            return False
        return True

    async def _sync_and_close(self, member: Member, syncer: ThreadSyncer) -> None:
        member.journal.flush()
        job = member.journal.sync_job(even_if_lazy=True)
        assert job is not None
        syncer.submit(job, _last_sync_is_over)
        syncer.close()
        try:
            async with asyncio.timeout(_LAST_SYNC_S):
                await asyncio.shield(syncer.ended)
        except TimeoutError:
            log.warning("journal.not_synced_at_stop", node=self._settings.node_id)
            return  # The thread still uses the files, so they stay open.
        member.journal.close()


class _Alone:
    """The link of a node that listens nowhere."""

    def send(self, peer: str, message: PeerMessage) -> bool:
        return False

    def has_room(self, peer: str) -> bool:
        return False

    def set_peers(self, addresses: Mapping[str, str], keys: Mapping[str, str]) -> None:
        """There is no node to dial."""

    def proven_keys(self) -> Mapping[str, str]:
        return {}


def _nothing() -> None:
    """Without peers no connection was asked to wait."""


def _last_sync_is_over(job: SyncJob, error: BaseException | None) -> None:
    if error is not None:
        log.error("journal.last_sync_failed", index=job.index, reason=str(error))
