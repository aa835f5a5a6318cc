"""Workers, as the store knows them. Refreshed at most every few seconds, so a busy one costs nothing.

Clients name themselves, and one that makes up a new name for every request must not fill the memory of
every node. Which workers are forgotten when there are too many depends on nothing but what is stored, so all
replicas forget the same ones.
"""

from corvo.core.limits import WORKER_REFRESH_NS, WORKERS_MAX
from corvo.core.namespace import Qualified, name_of
from corvo.core.worker import Worker, encode_worker, most_silent
from corvo.fsm.entry_tx import EntryTx
from corvo.storage import keys


def seen(tx: EntryTx, worker_id: Qualified, hostname: str = "", queues: tuple[Qualified, ...] = ()) -> None:
    """A worker has claimed jobs or shown a sign of life. Nameless ones cannot be told apart."""
    if not name_of(worker_id):
        return
    known = tx.state.workers.get(worker_id)
    if known is None:
        _make_room(tx)
        _store(tx, Worker(worker_id, hostname, queues, tx.now_ns, tx.now_ns))
        return
    fresh = known.last_seen_ns > tx.now_ns - WORKER_REFRESH_NS
    same = queues in ((), known.queues) and hostname in ("", known.hostname)
    if fresh and same:
        return
    _store(
        tx,
        Worker(
            worker_id,
            hostname or known.hostname,
            queues or known.queues,
            known.started_ns,
            tx.now_ns,
        ),
    )


def forget(tx: EntryTx, worker_id: Qualified) -> None:
    known = tx.state.workers.pop(worker_id)
    tx.on_rollback(lambda: tx.state.workers.update({worker_id: known}))
    tx.kv.delete(keys.worker(worker_id))


def _make_room(tx: EntryTx) -> None:
    """Many at a time, because finding the most silent means looking at all."""
    workers = tx.state.workers
    if len(workers) >= WORKERS_MAX:
        for worker in most_silent(workers, WORKERS_MAX // 10):
            forget(tx, worker.id)


def _store(tx: EntryTx, worker: Worker) -> None:
    workers = tx.state.workers
    known = workers.get(worker.id)
    tx.on_rollback(lambda: workers.pop(worker.id) if known is None else workers.update({worker.id: known}))
    workers[worker.id] = worker
    tx.kv.put(keys.worker(worker.id), encode_worker(worker))
