"""Dependencies: the jobs that wait for a job are told that it has ended.

That is done when the op that ended it is over, from a list and not by recursion: a chain of ten thousand
dependencies is ten thousand turns of a loop. Dependents beyond the limit of one op are left to `Resolve`,
which the scheduler submits.
"""

from itertools import islice

import msgspec
from msgspec.structs import replace

from corvo.core.events import EventType
from corvo.core.job import DependencyFailure, Job
from corvo.core.limits import DEPENDENTS_TOLD_MAX
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import settle
from corvo.storage import keys
from corvo.storage.index import ended_ns

#: More than can wait for one job.
_EVERYBODY = 1 << 62


class EndNews(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An end that is still to be told to dependents, and the key of the last one that was told."""

    reason: str | None
    told_last: bytes


_decode = msgspec.msgpack.Decoder(EndNews).decode
_encode = msgspec.msgpack.Encoder().encode


def tell_all(tx: EntryTx, room: int | None = None) -> int:
    """The op is done: tell the dependents of every job that ended in it, and of those that end by that.

    `room` is how many dependents the op may still tell. What is left of it is returned.
    """
    if room is None:
        room = DEPENDENTS_TOLD_MAX
    # The list grows while it is read: a dependent that fails has dependents of its own.
    for job_id, reason in tx.ended:
        told, last = _tell(tx, job_id, reason, b"", room)
        room -= told
        if last is not None:
            tx.kv.put(keys.timed(keys.RESOLVING, tx.now_ns, job_id), _encode(EndNews(reason, last)))
            tx.state.due.note(keys.RESOLVING, tx.now_ns)
    return room


def resume(tx: EntryTx, at_ns: int, job_id: str, limit: int) -> tuple[int, bool]:
    """Go on where the room ran out. Returns how many were told, and whether some are left."""
    marker = keys.timed(keys.RESOLVING, at_ns, job_id)
    stored = tx.kv.get(marker)
    assert stored is not None
    news = _decode(stored)
    told, last = _tell(tx, job_id, news.reason, news.told_last, limit)
    if last is None:
        tx.kv.delete(marker)
        return told, False
    tx.kv.put(marker, _encode(EndNews(news.reason, last)))
    return told, True


def tell_the_rest(tx: EntryTx, was: Job) -> None:
    """An ended job is about to live again. Dependents that were still to hear of its end hear of it now,
    however many they are, so that none that comes to wait for its new life is told of the old one."""
    at_ns = ended_ns(was)
    if tx.kv.get(keys.timed(keys.RESOLVING, at_ns, was.id)) is not None:
        resume(tx, at_ns, was.id, _EVERYBODY)


def _tell(tx: EntryTx, job_id: str, reason: str | None, after: bytes, limit: int) -> tuple[int, bytes | None]:
    """Tell up to `limit` dependents behind `after`. Returns how many, and the last one if more are left."""
    prefix = keys.dependents_prefix(job_id)
    start = after + b"\0" if after else prefix
    found = [key for key, _ in islice(tx.kv.scan(start, keys.after(prefix)), limit + 1)]
    for key in found[:limit]:
        _hear(tx, key, job_id, reason)
    if len(found) <= limit:
        return len(found), None
    return limit, found[limit - 1] if limit else after


def _hear(tx: EntryTx, key: bytes, dependency: str, reason: str | None) -> None:
    """One dependent learns what became of a job it waits for."""
    _, job_id = keys.parse_dependent(key)
    job = tx.job(job_id)
    assert job is not None, f"{job_id} waits for {dependency} but has no document"
    assert job.flow is not None
    mode = job.flow.on_dependency_failure
    # To wait on means to wait until the dependency is retried, which is impossible once it is gone.
    if reason is not None and mode is DependencyFailure.WAIT and tx.job(dependency) is not None:
        return
    if reason is not None and mode is not DependencyFailure.IGNORE:
        settle.kill(tx, job, f"dependency {dependency} {reason}")
        return
    tx.kv.delete(key)
    freed = job.copy()
    freed.flow = replace(job.flow, unmet=job.flow.unmet - 1)
    tx.save(freed, job)
    if not freed.flow.unmet:
        tx.emit(EventType.RELEASED_BY_DEPENDENCY, freed)
