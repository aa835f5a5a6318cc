"""What the store remembers of workers. Refreshed at most every few seconds, so a busy one costs nothing.

Clients name themselves, and one that makes up a new name for every request must not fill the memory of
every node. Whom a full book forgets depends on nothing but what is in it, so all replicas forget the same.
"""

from heapq import nsmallest

from corvo.core.limits import WORKER_REFRESH_NS, WORKERS_MAX
from corvo.core.worker import Worker, encode_worker
from corvo.fsm.entry_tx import Turn
from corvo.storage import keys


def seen(turn: Turn, worker_id: str, hostname: str = "", queues: tuple[str, ...] = ()) -> None:
    """A worker has claimed jobs or shown a sign of life. Nameless ones cannot be told apart."""
    if not worker_id:
        return
    known = turn.state.workers.get(worker_id)
    if known is None:
        _make_room(turn)
        _store(turn, Worker(worker_id, hostname, queues, turn.now_ns, turn.now_ns))
        return
    fresh = known.last_seen_ns > turn.now_ns - WORKER_REFRESH_NS
    same = queues in ((), known.queues) and hostname in ("", known.hostname)
    if fresh and same:
        return
    _store(
        turn,
        Worker(
            worker_id,
            hostname or known.hostname,
            queues or known.queues,
            known.started_ns,
            turn.now_ns,
        ),
    )


def forget(turn: Turn, worker_id: str) -> None:
    known = turn.state.workers.pop(worker_id)
    turn.on_rollback(lambda: turn.state.workers.update({worker_id: known}))
    turn.tx.delete(keys.worker(worker_id))


def _make_room(turn: Turn) -> None:
    """Many at a time, because finding the most silent means looking at all."""
    workers = turn.state.workers
    if len(workers) >= WORKERS_MAX:
        most_silent = nsmallest(WORKERS_MAX // 10, workers.values(), key=lambda w: (w.last_seen_ns, w.id))
        for worker in most_silent:
            forget(turn, worker.id)


def _store(turn: Turn, worker: Worker) -> None:
    workers = turn.state.workers
    known = workers.get(worker.id)
    turn.on_rollback(lambda: workers.pop(worker.id) if known is None else workers.update({worker.id: known}))
    workers[worker.id] = worker
    turn.tx.put(keys.worker(worker.id), encode_worker(worker))
