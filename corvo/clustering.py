"""How a node finds its cluster: the address of its link, what protects it, and whom to ask to be taken in.

settings, data folder -> [clustering] -> consensus
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import structlog

from corvo.actors import letters
from corvo.actors.formats import FORMATS
from corvo.actors.letters import Done, Join, LetterUnknown, Refused
from corvo.config import Config
from corvo.consensus.api import MemberStatus
from corvo.consensus.faults import RefusedToStart
from corvo.consensus.seal import SECRET_CHARS_MIN, key_of
from corvo.consensus.settings import Tls
from corvo.consensus.visit import VisitFailed

log = structlog.get_logger()

#: Asks whoever listens at an address. Raises VisitFailed.
Ask = Callable[[str, bytes], Awaitable[bytes]]

_RETRY_S: Final = 1.0
#: A node that cannot be reached is mentioned again after so many attempts.
_MENTION_EVERY: Final = 10


class ClusterProblem(RefusedToStart):
    """The settings of the cluster do not fit together, or the cluster does not want this node."""


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
    """The link gives whoever reaches it all data and all power, so it is not opened to all unguarded."""
    host = _host(config.raft_bind)
    if config.cluster_secret or config.cluster_cert or _is_loopback(host):
        return
    raise ClusterProblem(
        f"--raft-bind {config.raft_bind} is open to other machines, and nothing protects it. Give all nodes "
        "the same --cluster-secret, or certificates with --cluster-cert, --cluster-key and --cluster-ca."
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
    host, port = _host(address), address.rpartition(":")[2]
    try:
        is_wildcard = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        is_wildcard = not host
    return f"{socket.gethostname()}:{port}" if is_wildcard else address


def _host(address: str) -> str:
    return address.rpartition(":")[0].strip("[]")


# Being taken in


class Visitor:
    """Asks members, one after the other, until one takes the node in."""

    def __init__(self, node_id: str, seat: MemberStatus) -> None:
        self._node_id = node_id
        self._seat = seat

    async def join(self, ask: Ask, addresses: list[str]) -> dict[str, str]:
        """The members' links by node id. Goes on until somebody answers; raises ClusterProblem on a no."""
        attempt = 0
        while True:
            for address in addresses:
                members = await self.try_join(ask, address, quietly=attempt % _MENTION_EVERY != 0)
                if members is not None:
                    return members
            attempt += 1
            await asyncio.sleep(_RETRY_S)

    async def try_join(self, ask: Ask, address: str, *, quietly: bool) -> dict[str, str] | None:
        """None if nobody there can say yes or no at the moment."""
        question = Join(0, self._node_id, self._seat.raft, self._seat.http, dict(FORMATS))
        try:
            answer = letters.decode(await ask(address, letters.encode(question)))
        except (VisitFailed, LetterUnknown) as reason:
            if not quietly:
                log.warning("cluster.no_answer", address=address, reason=str(reason))
            return None
        if isinstance(answer, Refused):
            error = letters.error_of(answer.refusal)
            if not error.retryable:
                raise ClusterProblem(f"the cluster at {address} refused this node: {error.message}")
            log.warning("cluster.not_now", address=address, reason=error.message)
            return None
        assert isinstance(answer, Done)
        return {node_id: raft for node_id, raft in answer.members.items() if node_id != self._node_id}
