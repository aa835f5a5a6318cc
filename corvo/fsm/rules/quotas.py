"""Quotas: what a namespace may have at most, and that nothing comes into one that is being deleted.

Asked about what clients bring. Jobs that the server makes of others (steps of chains, callbacks, schedules)
are counted and never refused: nothing is lost for a quota.
"""

from corvo.core.errors import Conflict, QueueQuotaExceeded, QuotaExceeded
from corvo.core.namespace import Namespace, Qualified, namespace_of
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.state import Holdings


def check_job(tx: EntryTx, queue: Qualified, size_bytes: int) -> None:
    """Whether a job of this size may come into the queue."""
    namespace = guarded(tx, namespace_of(queue))
    if namespace is None:
        return
    held, quotas = _held(tx, namespace), namespace.quotas
    if quotas.max_jobs is not None and held.jobs >= quotas.max_jobs:
        raise _exceeded("max_jobs", quotas.max_jobs, held.jobs, "jobs")
    most = quotas.max_payload_bytes
    if most is not None and held.payload_bytes + size_bytes > most:
        raise _exceeded("max_payload_bytes", most, held.payload_bytes, "bytes of payload")


def check_queue(tx: EntryTx, queue: Qualified) -> None:
    """Whether this queue, which does not exist, may be made."""
    namespace = guarded(tx, namespace_of(queue))
    if namespace is None:
        return
    used, most = len(_held(tx, namespace).queues), namespace.quotas.max_queues
    if most is not None and used >= most:
        raise QueueQuotaExceeded(
            f"the namespace has {used} queues and may have {most}; destroy one that is not used, or ask for "
            "a larger quota",
            quota="max_queues",
            limit=most,
            used=used,
        )


def guarded(tx: EntryTx, name: str) -> Namespace | None:
    """The namespace, if it may have to refuse something. Refuses everything while it is being deleted."""
    if not tx.state.guarded:
        return None
    namespace = tx.state.guarded.get(name)
    if namespace is not None and namespace.deleting is not None:
        raise Conflict(f"namespace {name} is being deleted; wait for that, or cancel it")
    return namespace


def _held(tx: EntryTx, namespace: Namespace) -> Holdings:
    return tx.state.holdings.get(namespace.name) or Holdings()


def _exceeded(quota: str, limit: int, used: int, what: str) -> QuotaExceeded:
    return QuotaExceeded(
        f"the namespace holds {used} {what} and may hold {limit}; wait until jobs are purged, delete some, "
        "or ask for a larger quota",
        quota=quota,
        limit=limit,
        used=used,
    )
