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
from corvo.consensus.identity import NodeIdentity
from corvo.consensus.link.join_client import JoinRequestFailed
from corvo.consensus.link.noise import SECRET_CHARS_MIN, key_of
from corvo.consensus.settings import Tls
from corvo.core.hosts import host_of, is_http_address, is_loopback, is_node_address
from corvo.core.shared_settings import decode_shared_settings

log = structlog.get_logger()

#: In the data folder: the private key by which the cluster knows this node.
IDENTITY_FILE: Final = "node.key"
_PROTECT: Final = (
    "Give all nodes the same secret, by CORVO_CLUSTER_SECRET or --cluster-secret-file, or certificates with "
    "--cluster-cert, --cluster-key and --cluster-ca. (For a trial on one machine, without API keys, there is "
    "--insecure-open.)"
)

#: Asks the node that listens at an address. Raises JoinRequestFailed.
AskNode = Callable[[str, bytes], Awaitable[bytes]]

_RETRY_S: Final = 1.0
#: A node that cannot be reached is mentioned again after so many attempts.
_MENTION_EVERY: Final = 10


class ClusterProblem(RefusedToStart):
    """The settings of the cluster do not fit together, or the cluster refused this node."""


# What protects the link


def secrets(config: Config) -> tuple[str, ...]:
    """The cluster's secret, and the other one while it is being changed. The first is spoken under."""
    given = [config.cluster_secret, config.cluster_secret_next]
    name = "--cluster-secret"
    if config.cluster_secret_file:
        if any(given):
            raise ClusterProblem("--cluster-secret-file holds both secrets; give no other secret beside it")
        name = f"a line of {config.cluster_secret_file}"
        given = _lines_of(Path(config.cluster_secret_file))
    if len(given) > 2:
        raise ClusterProblem(f"{config.cluster_secret_file} has {len(given)} lines; it may have two secrets")
    if given[1:] and given[1] and not given[0]:
        raise ClusterProblem("--cluster-secret-next is the second secret; the first is --cluster-secret")
    found = tuple(dict.fromkeys(secret for secret in given if secret))
    for secret in found:
        if len(secret) < SECRET_CHARS_MIN:
            raise ClusterProblem(
                f"{name} has {len(secret)} characters; a secret needs at least {SECRET_CHARS_MIN}. "
                "`openssl rand -hex 32` makes a good one."
            )
    return found


def _lines_of(file: Path) -> list[str]:
    try:
        lines = [line.strip() for line in file.read_text().splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise ClusterProblem(f"--cluster-secret-file cannot be read: {error}") from None
    if not lines:
        raise ClusterProblem(f"{file} is empty; it should hold the secret of the cluster")
    return lines


def link_keys(config: Config) -> tuple[bytes, ...]:
    return tuple(key_of(secret) for secret in secrets(config))


def link_identity(config: Config, folder: Path) -> NodeIdentity | None:
    """What the node proves its name with. With certificates they do that, and without a link nothing must."""
    if link_tls(config) is not None or not secrets(config):
        return None
    return NodeIdentity.of_file(folder / IDENTITY_FILE)


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


def may_link(config: Config, *, has_keys: bool = False) -> bool:
    """Whether this node may listen for others and dial them: the link gives all data and all power to a peer,
    also to any other user of this machine. `has_keys`: the node asks its clients for API keys, and a link
    without a secret would be a way around them."""
    if secrets(config) or link_tls(config) is not None:
        return True
    if not is_loopback(host_of(config.raft_bind)):
        raise ClusterProblem(
            f"--raft-bind {config.raft_bind} is open to other machines, and nothing protects it. {_PROTECT}"
        )
    if not config.insecure_open or has_keys:
        return False
    log.warning(
        "link.insecure", address=config.raft_bind, consequence="any process here can do what a node can"
    )
    return True


def check_alone(config: Config, *, is_of_cluster: bool) -> None:
    """A node that may not link to others must not want to."""
    wish = "--join" if config.join else "--discover" if config.discover else ""
    if wish:
        raise ClusterProblem(f"{wish} is given, and nothing protects the link to other nodes. {_PROTECT}")
    if is_of_cluster:
        raise ClusterProblem(
            f"{config.node_id} belongs to a cluster, and nothing protects the link to its nodes. {_PROTECT}"
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


def own_seat(
    config: Config, raft_address: str, http_address: str, identity: NodeIdentity | None = None
) -> MemberStatus:
    """Under which addresses, and by which key, other nodes know this one."""
    raft = config.raft_advertise or _reachable(raft_address)
    http = config.http_advertise or _reachable(http_address)
    if not is_node_address(raft):
        raise ClusterProblem(f"--raft-advertise: {raft!r} is no address. Write host:port.")
    if not is_http_address(http):
        raise ClusterProblem(f"--http-advertise: {http!r} is no address. Write host:port.")
    return MemberStatus(
        raft=raft,
        http=http,
        is_voter=True,
        key="" if identity is None else identity.public.hex(),
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
            0,
            self._node_id,
            self._seat.raft,
            self._seat.http,
            dict(FORMATS),
            rules=self._rules,
            key=self._seat.key,
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
