"""The cluster as this node sees it."""

from typing import Any

import msgspec

from corvo.actors.cluster.messages import ClusterStatsFound, GetClusterStats
from corvo.actors.cluster.node_messages import PeerFigures
from corvo.actors.events.messages import EventsFound, ReadEvents
from corvo.consensus.api import ConsensusStatus
from corvo.core.errors import ValidationFailed
from corvo.http.api.schema.events import EventBody, event_bodies
from corvo.http.api.stats import gather
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


class EventsBody(msgspec.Struct):
    events: list[EventBody]
    #: The oldest event that is kept and the newest there is: where to begin and where to go on.
    first_seq: int
    last_seq: int


@route("GET /api/v1/cluster/status", needs="cluster:read", returns=dict[str, Any], tag="Cluster")
async def cluster_status(request: Request, ctx: EdgeContext) -> Response:
    """Which node leads, how far each node is, and how the write path is doing."""
    figures = await gather(ctx, queues=False)
    found: ClusterStatsFound = await ctx.ask(ctx.actors.cluster_stats, GetClusterStats())
    status, config = figures.of.proposer.consensus, ctx.config
    fsm, batcher, mirror = figures.of.fsm, figures.of.batcher, figures.of.mirror_writer
    members = status.members
    leader = None if status.leader_id is None else members.get(status.leader_id)
    body = {
        "mode": "cluster",
        "status": "healthy" if status.has_quorum and not fsm.full else "degraded",
        "state": status.role.value.capitalize(),
        "term": status.term,
        "leader_id": status.leader_id,
        "leader_addr": None if leader is None else leader.raft,
        "leader_http": None if leader is None else leader.http,
        "node_id": config.node_id,
        "applied_index": str(fsm.index),
        "commit_index": str(status.commit_index),
        "raft_nosync": not ctx.durable,
        "raft_store": "segments",
        "pebble_nosync": not ctx.durable,
        "sqlite_mirror_async": True,
        "lifecycle_events": True,
        "snapshot_threshold": config.snapshot_threshold,
        "apply_batch_max": config.apply_batch_max,
        "apply_batch_min_wait": f"{config.apply_batch_min_wait_us}us",
        "apply_batch_extend_at": config.apply_batch_extend_at,
        "apply_batch_window": f"{config.apply_batch_window_us}us",
        "apply_max_pending": config.raft_max_pending,
        "apply_max_fetch_queue_inflight": config.raft_max_fetch_inflight,
        "apply_pending_now": batcher.pending,
        "apply_sub_batch_max": config.apply_batch_max,
        "overload_total": batcher.overload_total,
        "fetch_overload_total": 0,
        "applied_total": fsm.applied_total,
        "queue_time_hist": batcher.queue_time.summary(),
        "apply_time_hist": fsm.apply_time.summary(),
        "sync_time_hist": status.sync_time.summary(),
        "snapshot": {
            "latest_index": status.log_first_index,
            "latest_size": status.log_bytes,
        },
        "sqlite_mirror": mirror.mirror,
        "sqlite_rebuild": mirror.rebuild,
        "nodes": [_node(config.node_id, node_id, status, found.figures.get(node_id)) for node_id in members],
    }
    return Response(200, _encode(body))


def _node(own_id: str, node_id: str, status: ConsensusStatus, figures: PeerFigures | None) -> dict[str, Any]:
    """One member: its addresses, and how far it is, if it told in time."""
    member = status.members[node_id]
    is_own = node_id == own_id
    peer = status.peers.get(node_id)
    row = {
        "id": node_id,
        "address": member.raft,
        "http": member.http,
        "voter": member.is_voter,
        "key": member.key or None,
        "self": is_own,
        "connected": is_own or (peer is not None and peer.connected),
        "match_index": None if peer is None else peer.match_index,
        "role": "leader" if node_id == status.leader_id else None,
    }
    if figures is not None:
        row |= msgspec.structs.asdict(figures)
        row["lag"] = max(0, status.commit_index - figures.applied_index)
        row["mirror_lag"] = max(0, figures.applied_index - figures.mirror_index)
    return row


@route(
    "GET /api/v1/cluster/events",
    needs="cluster:read",
    returns=EventsBody,
    errors=(ValidationFailed,),
    tag="Cluster",
    query={"after_seq": "Number of the last event already seen.", "limit": "At most this many, up to 1000."},
)
async def cluster_events(request: Request, ctx: EdgeContext) -> Response:
    """Lifecycle events after a number, oldest first."""
    after_seq = request.int_query("after_seq", 0, least=0, most=2**63)
    limit = request.int_query("limit", 100, least=1, most=1_000)
    found: EventsFound = await ctx.ask(ctx.actors.fsm, ReadEvents(after_seq, limit, reach=request.reach))
    return Response(200, _encode(EventsBody(event_bodies(found.events), found.first_seq, found.last_seq)))
