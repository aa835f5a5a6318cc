"""Joining: whether a node begins a cluster, belongs to one, or has to be taken in first.

    settings, data folder -> [joining] -> clustering, discovery -> consensus

A folder that was taken in by a cluster, or is about to be, never begins one of its own: two halves that both
believe to be the cluster would be worse than none.
"""

import structlog

from corvo.config import Config
from corvo.consensus.api import MemberStatus
from corvo.consensus.roster import Roster
from corvo.node.clustering import AskNode, ClusterProblem, Newcomer, check_rules
from corvo.node.discovery import Discovery
from corvo.storage import keys
from corvo.storage.datadir import DataDir
from corvo.storage.kv import Kv

log = structlog.get_logger()


async def find_cluster(
    config: Config, data: DataDir, store: Kv, seat: MemberStatus, ask: AskNode
) -> dict[str, str] | None:
    """The members that took this node in, by id; or None if the node knows its cluster or begins one."""
    roster = store.get(keys.ROSTER)
    if roster is not None and is_member(config.node_id, roster):
        seats = Roster.decode(roster).seats
        check_rules(config, len(seats), store.get(keys.SHARED_SETTINGS))
        if len(seats) > 1 and seat.key and seats[config.node_id].key not in ("", seat.key):
            log.error(
                "link.own_key_changed",
                node=config.node_id,
                hint="The cluster knows this node by another key than that in its node.key. Bring the old "
                f"file back, or run `corvo cluster forget-key {config.node_id}` at another node.",
            )
        return None
    addresses = [address.strip() for address in config.join.split(",") if address.strip()]
    if roster is not None and not addresses:
        raise ClusterProblem(
            f"{config.node_id} was removed from its cluster. To take it in again start it with --join."
        )
    joined = data.joined()
    if joined is None and roster is None and any(data.journal.iterdir()):
        return None  # It began its cluster, or served alone before clusters were known.
    if joined is not None and roster is None:
        return joined  # It was taken in, and stopped before it was told anything.
    visitor = Newcomer(config, seat)
    joined = await _be_taken_in(config, visitor, seat, addresses, ask)
    if joined is not None:
        data.note_joining(joined, visitor.joined_index)
        log.info("cluster.joined", members=sorted(joined))
    return joined


def is_member(node_id: str, roster: bytes | None) -> bool:
    return roster is not None and node_id in Roster.decode(roster).seats


async def _be_taken_in(
    config: Config, visitor: Newcomer, seat: MemberStatus, addresses: list[str], ask: AskNode
) -> dict[str, str] | None:
    if addresses:
        return await visitor.join(ask, addresses)
    if config.discover:
        if not config.discover_dns_name:
            raise ClusterProblem("--discover dns needs a --discover-dns-name")
        return await Discovery(config, seat.raft).find(visitor, ask)
    if not config.bootstrap:
        raise ClusterProblem("--bootstrap is off and there is no --join: nothing to begin or to join")
    return None
