"""Clustering: under which addresses a node is found, what protects its link, and how it asks to be taken in.

settings, data folder -> [clustering] -> consensus
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import structlog

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.node_messages import ChangeDone, ChangeRefused, JoinCluster, NodeMessageUnknown
from corvo.actors.cluster.shared_settings import objection, shared_settings_of
from corvo.actors.cluster.wire_versions import FORMATS
from corvo.config import Config
from corvo.consensus.api import MemberStatus
from corvo.consensus.errors import RefusedToStart
from corvo.consensus.link.join_client import JoinRequestFailed
from corvo.consensus.link.noise import SECRET_CHARS_MIN, key_of
from corvo.consensus.settings import Tls
from corvo.core.hosts import host_of, is_loopback
from corvo.core.shared_settings import decode_shared_settings

log = structlog.get_logger()

#: Asks the node that listens at an address. Raises JoinRequestFailed.
AskNode = Callable[[str, bytes], Awaitable[bytes]]

_RETRY_S: Final = 1.0
#: A node that cannot be reached is mentioned again after so many attempts.
_MENTION_EVERY: Final = 10


class ClusterProblem(RefusedToStart):
    """The settings of the cluster do not fit together, or the cluster refused this node."""


# What protects the link


def link_key(config: Config) -> bytes | None:
    if not config.cluster_secret:
        return None
    if len(config.cluster_secret) < SECRET_CHARS_MIN:
        raise ClusterProblem(
            f"--cluster-secret has {len(config.cluster_secret)} characters; it needs at least "
            f"{SECRET_CHARS_MIN}. `openssl rand -hex 32` makes a good one."
        )
    return key_of(config.cluster_secret)


def link_tls(config: Config) -> Tls | None:
    files = (config.cluster_ca, config.cluster_cert, config.cluster_key)
    if not any(files):
        return None
    if not all(files):
        raise ClusterProblem(
            "--cluster-cert, --cluster-key and --cluster-ca are given all three or not at all"
        )
    authority, certificate, key = map(Path, files)
    try:
        return Tls.from_files(authority=authority, certificate=certificate, key=key)
    except OSError as error:  # Also what is wrong inside a file.
        raise ClusterProblem(f"the certificates of the node link cannot be used: {error}") from None


def check_exposure(config: Config) -> None:
    """The link gives all data and all power to a peer, so it is not opened to other machines unprotected."""
    if config.cluster_secret or config.cluster_cert or is_loopback(host_of(config.raft_bind)):
        return
    raise ClusterProblem(
        f"--raft-bind {config.raft_bind} is open to other machines, and nothing protects it. Give all nodes "
        "the same --cluster-secret, or certificates with --cluster-cert, --cluster-key and --cluster-ca."
    )


def check_rules(config: Config, members: int, recorded: bytes | None) -> None:
    """A member whose settings are no longer the cluster's says so now, not after an election it has won."""
    rules = decode_shared_settings(recorded)
    if rules is None or members == 1 or config.change_settings:
        return
    reason = objection(config.node_id, shared_settings_of(config), rules)
    if reason is not None:
        raise ClusterProblem(reason)


# Where the node is found


def own_seat(config: Config, raft_address: str, http_address: str) -> MemberStatus:
    """Under which addresses other nodes know this one."""
    return MemberStatus(
        raft=config.raft_advertise or _reachable(raft_address),
        http=config.http_advertise or _reachable(http_address),
        is_voter=True,
    )


def _reachable(address: str) -> str:
    """A wildcard is no address to be found at; the name of the machine may be."""
    host, port = host_of(address), address.rpartition(":")[2]
    try:
        is_wildcard = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        is_wildcard = not host
    return f"{socket.gethostname()}:{port}" if is_wildcard else address


# Being taken in


class Newcomer:
    """Asks members, one after the other, until one takes the node in."""

    def __init__(self, config: Config, seat: MemberStatus) -> None:
        self._node_id = config.node_id
        self._seat = seat
        self._rules = shared_settings_of(config)
        #: The entry at which the cluster was when it took the node in.
        self.joined_index = 0

    async def join(self, ask: AskNode, addresses: list[str]) -> dict[str, str]:
        """The members' links by node id. Goes on until one answers; raises ClusterProblem if it refuses."""
        attempt = 0
        while True:
            for address in addresses:
                members = await self.try_join(ask, address, quietly=attempt % _MENTION_EVERY != 0)
                if members is not None:
                    return members
            attempt += 1
            await asyncio.sleep(_RETRY_S)

    async def try_join(self, ask: AskNode, address: str, *, quietly: bool) -> dict[str, str] | None:
        """None if the node there gives no answer, or cannot decide at the moment."""
        question = JoinCluster(
            0, self._node_id, self._seat.raft, self._seat.http, dict(FORMATS), rules=self._rules
        )
        try:
            answer = node_messages.decode(await ask(address, node_messages.encode(question)))
        except (JoinRequestFailed, NodeMessageUnknown) as reason:
            if not quietly:
                log.warning("cluster.no_answer", address=address, reason=str(reason))
            return None
        if isinstance(answer, ChangeRefused):
            error = node_messages.error_of(answer.refusal)
            if not error.retryable:
                raise ClusterProblem(f"the cluster at {address} refused this node: {error.message}")
            log.warning("cluster.not_now", address=address, reason=error.message)
            return None
        assert isinstance(answer, ChangeDone)
        self.joined_index = answer.index
        return {node_id: raft for node_id, raft in answer.members.items() if node_id != self._node_id}
