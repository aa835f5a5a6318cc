"""`corvo graph`: a job's relatives as a tree."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import click

from corvo.cli.input import ids
from corvo.cli.request.client import segment
from corvo.cli.request.session import Session, talks_to_server

TreeNode = dict[str, Any]

#: Jobs of a chain that are none of its steps.
_ASIDE = {-1: "on exit", -2: "on failure"}


@click.command("graph")
@click.argument("job_id", metavar="ID")
@talks_to_server
def command(session: Session, job_id: str) -> None:
    """Show what a job belongs to and what comes of it: parents, chain, batch, callbacks, dependencies.

    \b
    Examples:
      corvo graph job_01J...
      corvo graph job_01J... -o id | corvo inspect -o table
    """
    found = session.api.get(f"/api/v1/jobs/{segment(ids.whole(session, job_id))}/graph")
    if session.out.form == "id":
        for node in found["nodes"]:
            if node["kind"] == "job" and node.get("state") != "gone":
                session.out.line(node["id"])
        return
    session.out.one(found, "\n".join(_tree(found)), id_member="job_id")
    if found["truncated"]:
        session.talk("there are more relatives than these")


def _tree(graph: dict[str, Any]) -> Iterator[str]:
    nodes: dict[str, TreeNode] = {node["id"]: node for node in graph["nodes"]}
    below: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for edge in graph["edges"]:
        below[edge["from"]].append((edge["kind"], edge["to"]))
    targets = {edge["to"] for edge in graph["edges"]}
    # A node that comes of no other is at the top; in a circle, which nothing forbids, the first one is.
    roots = [node_id for node_id in nodes if node_id not in targets] or list(nodes)[:1]
    told: set[str] = set()
    stack = [(0, "", root) for root in reversed(roots)]
    while stack:
        depth, kind, node_id = stack.pop()
        again = node_id in told
        told.add(node_id)
        yield _line(nodes[node_id], depth, kind, is_asked=node_id == graph["job_id"], again=again)
        if not again:
            stack += [(depth + 1, *child) for child in reversed(below[node_id])]


def _line(node: TreeNode, depth: int, kind: str, *, is_asked: bool, again: bool) -> str:
    label = f"{kind}: " if kind else ""
    if again:
        return f"{'  ' * depth}{label}{node['id']} (see above)"
    words = [node["id"], node.get("state", ""), node.get("queue", "")]
    if node["kind"] == "batch" and "total" in node:
        words.append(f"{node.get('succeeded', 0)} of {node['total']} done, {node.get('failed', 0)} failed")
    elif "chain_step" in node:
        words.append(_ASIDE.get(node["chain_step"]) or f"step {node['chain_step'] + 1}")
    mark = "  <- this one" if is_asked else ""
    return f"{'  ' * depth}{label}{' '.join(word for word in words if word)}{mark}"
