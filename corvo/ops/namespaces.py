"""Ops about namespaces: their quotas, and their end."""

from corvo.core.namespace import Quotas, Reach
from corvo.ops.base import Op, op


@op
class SetNamespace(Op, frozen=True, tag=60):
    """Set a namespace up, or change its quotas."""

    name: str
    quotas: Quotas
    #: Whether one that was set up before is refused; if not, one that is unknown is.
    is_new: bool = False


@op
class DeleteNamespace(Op, frozen=True, tag=61):
    """Forget a namespace that is empty. By force one that is not: a bulk task empties it, and nothing new may
    come in meanwhile."""

    name: str
    #: The id of that task; None not to use force.
    task_id: str | None = None
    #: Who may see the task.
    reach: Reach | None = None
