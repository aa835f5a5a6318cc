"""A job's relatives as clients see them."""

import msgspec
from msgspec import UNSET, UnsetType

from corvo.actors.state.questions import Graph, GraphEdge, GraphNode
from corvo.core.namespace import name_of


class NodeBody(msgspec.Struct, omit_defaults=True):
    """A job, a batch, or a step of a chain that is still to come."""

    id: str
    kind: str
    queue: str | UnsetType = UNSET
    #: Of a job; "gone" if it is no longer kept. Of a batch: open, sealed, or completed.
    state: str | UnsetType = UNSET
    #: Place in its chain; negative for the handlers of its exit and its failure.
    chain_step: int | UnsetType = UNSET
    total: int | UnsetType = UNSET
    pending: int | UnsetType = UNSET
    succeeded: int | UnsetType = UNSET
    failed: int | UnsetType = UNSET


class EdgeBody(msgspec.Struct, rename={"source": "from", "target": "to"}):
    """From what comes first to what comes of it: parent, chain, batch, callback or dependency."""

    source: str
    target: str
    kind: str


class GraphBody(msgspec.Struct):
    job_id: str
    nodes: list[NodeBody]
    edges: list[EdgeBody]
    #: Whether there are more relatives than are shown.
    truncated: bool


def graph_body(graph: Graph) -> GraphBody:
    return GraphBody(
        graph.job_id, list(map(_node, graph.nodes)), list(map(_edge, graph.edges)), graph.truncated
    )


def _node(node: GraphNode) -> NodeBody:
    if node.job is not None:
        flow = node.job.flow
        step = UNSET if flow is None or flow.chain_id is None else flow.chain_step
        return NodeBody(node.id, node.kind, name_of(node.job.queue), node.job.state.label, step)
    if node.batch is not None:
        batch = node.batch
        state = "completed" if batch.ended_ns is not None else "sealed" if batch.sealed else "open"
        return NodeBody(
            node.id,
            node.kind,
            queue=name_of(batch.callback_queue) if batch.callback_queue else UNSET,
            state=state,
            total=batch.total,
            pending=batch.pending,
            succeeded=batch.succeeded,
            failed=batch.failed,
        )
    if node.step is not None:
        return NodeBody(
            node.id, node.kind, name_of(node.queue) if node.queue else UNSET, "planned", node.step
        )
    return NodeBody(node.id, node.kind, state="gone")


def _edge(edge: GraphEdge) -> EdgeBody:
    return EdgeBody(edge.source, edge.target, edge.kind)
