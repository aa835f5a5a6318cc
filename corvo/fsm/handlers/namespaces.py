"""Namespaces: set up, given quotas, and deleted."""

from msgspec.structs import asdict, replace

from corvo.core.bulk import BulkStatus, BulkTask
from corvo.core.errors import Conflict, NotFound, ValidationFailed
from corvo.core.namespace import DEFAULT, Namespace
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import bulk_tasks, namespaces
from corvo.ops.job_admin import Action
from corvo.ops.namespaces import DeleteNamespace, SetNamespace
from corvo.ops.results import BulkChanged, NamespaceChanged


@applies(SetNamespace)
def set_namespace(op: SetNamespace, tx: EntryTx) -> NamespaceChanged:
    known = tx.state.namespaces.get(op.name)
    if op.is_new and (known is not None or op.name == DEFAULT):
        raise Conflict(f"there is a namespace called {op.name} already")
    if not op.is_new and known is None and op.name != DEFAULT and op.name not in tx.state.holdings:
        raise _missing(op.name)
    now = replace(known or Namespace(op.name, tx.now_ns), quotas=op.quotas)
    namespaces.store(tx, op.name, now)
    return NamespaceChanged(now)


@applies(DeleteNamespace)
def delete(op: DeleteNamespace, tx: EntryTx) -> NamespaceChanged | BulkChanged:
    if op.name == DEFAULT:
        raise ValidationFailed("the namespace default cannot be deleted; delete its queues instead")
    known, contents = tx.state.namespaces.get(op.name), namespaces.contents(tx, op.name)
    if known is None and contents.is_nothing:
        raise _missing(op.name)
    if known is not None and known.deleting is not None:
        raise Conflict(f"namespace {op.name} is being deleted already", task_id=known.deleting)
    known = known or Namespace(op.name, tx.now_ns)
    if contents.is_nothing:
        namespaces.store(tx, op.name, None)
        return NamespaceChanged(known)
    if op.task_id is None:
        raise Conflict(
            f"namespace {op.name} is not empty; delete what is in it, or use force", **asdict(contents)
        )
    task = BulkTask(
        id=op.task_id,
        action=Action.DELETE_NAMESPACE,
        queue=None,
        priority=None,
        reason=None,
        rate=None,
        created_ns=tx.now_ns,
        updated_ns=tx.now_ns,
        status=BulkStatus.RUNNING,
        total=contents.jobs,
        expected=contents.jobs,
        reach=op.reach,
        namespace=op.name,
    )
    namespaces.store(tx, op.name, replace(known, deleting=task.id))
    return bulk_tasks.begin(tx, task)


def _missing(name: str) -> NotFound:
    return NotFound(f"namespace {name} does not exist")
