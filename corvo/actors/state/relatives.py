"""Relatives of a job as one graph: parent, children, chain, batch, what it waits for and what waits for it.

Walked outwards from the job, nearest first, through everything that hangs together with it; a limit on
nodes and edges keeps it small enough to draw, and says so when it cut something off.
"""

from collections import deque
from collections.abc import Callable
from itertools import pairwise

from corvo.actors.state.questions import Graph, GraphEdge, GraphNode
from corvo.core.batch import Batch, decode_batch
from corvo.core.job import Chain, Job
from corvo.core.namespace import namespace_of, qualified
from corvo.storage import keys
from corvo.storage.kv import KvReader
from corvo.storage.relations import naming

NODES_MAX = 200
EDGES_MAX = 1_000


def draw(reader: KvReader, find_job: Callable[[str], Job | None], job: Job) -> Graph:
    """All that hangs together with the job and `find_job` lets be seen, in the job's own namespace."""
    walk = _Walk(reader, find_job, namespace_of(job.queue))
    walk.visit(job.id)
    while walk.waiting:
        walk.look_around(walk.waiting.popleft())
    return Graph(job.id, list(walk.nodes.values()), list(walk.edges), walk.truncated)


class _Walk:
    def __init__(self, reader: KvReader, find_job: Callable[[str], Job | None], namespace: str) -> None:
        self._namespace = namespace
        self._reader = reader
        self._find_job = find_job
        self.nodes: dict[str, GraphNode] = {}
        #: Keys only: a set that keeps its order.
        self.edges: dict[GraphEdge, None] = {}
        self.waiting: deque[GraphNode] = deque()
        self.truncated = False

    # Nodes and edges

    def visit(self, job_id: str, *, is_named: bool = True) -> Job | None:
        """The job, if it is there and there was room for it. What is not drawn is not read either.

        A job that another one names is drawn also if it is gone: its id is known. All others must be seen."""
        if job_id not in self.nodes and self._has_room():
            job = self._find_job(job_id)
            if job is not None and namespace_of(job.queue) != self._namespace:
                job = None
            if is_named or job is not None:
                self._add(GraphNode(job_id, "job", job=job))
        node = self.nodes.get(job_id)
        return None if node is None else node.job

    def _has_room(self) -> bool:
        if len(self.nodes) < NODES_MAX:
            return True
        self.truncated = True
        return False

    def _add(self, node: GraphNode) -> None:
        if node.id not in self.nodes and self._has_room():
            self.nodes[node.id] = node
            self.waiting.append(node)

    def _join(self, source: str, target: str, kind: str) -> None:
        if source not in self.nodes or target not in self.nodes:
            return
        edge = GraphEdge(source, target, kind)
        if edge in self.edges:
            return
        if len(self.edges) >= EDGES_MAX:
            self.truncated = True
            return
        self.edges[edge] = None

    def _visit_naming(self, named_id: str) -> list[Job]:
        """Jobs that name this id. One more than can be drawn is enough to know that there are more."""
        named = qualified(self._namespace, named_id)
        found = [self.visit(job_id, is_named=False) for job_id in naming(self._reader, named, NODES_MAX + 1)]
        return [job for job in found if job is not None]

    # Walking

    def look_around(self, node: GraphNode) -> None:
        if node.kind == "batch":
            self._around_batch(node.id, node.batch)
        elif node.kind == "job":
            if node.job is not None:
                self._upwards(node.job)
            for job in self._visit_naming(node.id):
                self._relate(job, node.id)

    def _upwards(self, job: Job) -> None:
        if job.parent_id:
            self.visit(job.parent_id)
            self._join(job.parent_id, job.id, "parent")
        flow = job.flow
        if flow is None:
            return
        for dependency in flow.depends_on:
            self.visit(dependency)
            self._join(dependency, job.id, "dependency")
        if flow.batch_id is not None:
            stored = self._reader.get(keys.batch(qualified(self._namespace, flow.batch_id)))
            self._add(
                GraphNode(flow.batch_id, "batch", batch=None if stored is None else decode_batch(stored))
            )
            self._join(job.id, flow.batch_id, "batch")
        if flow.chain is not None and flow.chain_id is not None:
            self._along_chain(flow.chain, flow.chain_id)

    def _relate(self, job: Job, named_id: str) -> None:
        """How the job hangs on the one that it names."""
        if job.parent_id == named_id:
            self._join(named_id, job.id, "parent")
        if job.flow is not None and named_id in job.flow.depends_on:
            self._join(named_id, job.id, "dependency")

    def _around_batch(self, batch_id: str, batch: Batch | None) -> None:
        for job in self._visit_naming(batch_id):
            self._join(job.id, batch_id, "batch")
        if batch is not None and batch.callback_job_id is not None:
            self.visit(batch.callback_job_id)
            self._join(batch_id, batch.callback_job_id, "callback")

    def _along_chain(self, chain: Chain, chain_id: str) -> None:
        """Jobs of the chain in their order, and after the last of them the steps that are still to come."""
        members = sorted(self._visit_naming(chain_id), key=lambda job: (job.created_ns, job.id))
        for before, after in pairwise(members):
            self._join(before.id, after.id, "chain")
        last = members[-1] if members else None
        if last is None or last.flow is None or last.flow.chain_step < 0:
            return
        before_id = last.id
        start = last.flow.chain_step + 1
        for number, step in enumerate(chain.steps[start:], start):
            step_id = f"{chain_id}#{number}"
            self._add(GraphNode(step_id, "step", queue=step.queue, step=number))
            self._join(before_id, step_id, "chain")
            before_id = step_id
