"""Namespaces: their documents, what is in one, and emptying one step by step.

All that belongs to a namespace other than `default` lies together in its family of keys, so that it is found
without looking at anything else.
"""

from collections.abc import Iterator
from heapq import nsmallest
from itertools import islice

import msgspec

from corvo.core.batch import decode_batch
from corvo.core.namespace import Namespace, encode_namespace, namespace_of, qualified
from corvo.core.schedule import decode_schedule
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import batches, removal, workers
from corvo.storage import keys

#: Batches are counted up to here: there may be millions.
_COUNTED_MAX = 1_000


class Contents(msgspec.Struct, frozen=True):
    """How much there is in a namespace."""

    queues: int
    jobs: int
    schedules: int
    webhooks: int
    batches: int

    @property
    def is_nothing(self) -> bool:
        return not any(msgspec.structs.astuple(self))


def contents(tx: EntryTx, name: str) -> Contents:
    held = tx.state.holdings.get(name)
    return Contents(
        queues=0 if held is None else len(held.queues),
        jobs=0 if held is None else held.jobs,
        schedules=_count(tx, keys.SCHEDULE_NAME, name),
        webhooks=_count(tx, keys.WEBHOOK, name),
        batches=_count(tx, keys.BATCH, name),
    )


def store(tx: EntryTx, name: str, namespace: Namespace | None) -> None:
    """None to forget it."""
    known = tx.state.namespaces.get(name)
    tx.on_rollback(lambda: tx.state.set_namespace(name, known))
    tx.state.set_namespace(name, namespace)
    if namespace is None:
        tx.kv.delete(keys.namespace(name))
    else:
        tx.kv.put(keys.namespace(name), encode_namespace(namespace))
    tx.namespaces[name] = namespace


def empty(tx: EntryTx, name: str, limit: int) -> tuple[int, bool]:
    """Remove what is in the namespace, about as much as the limit says. Returns how many jobs that were, and
    whether something is left."""
    jobs = 0
    held = tx.state.holdings.get(name)
    first = [] if held is None else nsmallest(limit, held.queues)
    for queues, queue in enumerate(first):
        # A queue costs something even if it has no job.
        room = limit - jobs - queues
        if room <= 0:
            return jobs, True
        removed, _ = removal.remove_queue(tx, tx.state.queues[queue], room)
        jobs += removed
    if tx.state.holdings.get(name) is not None:
        return jobs, True
    return jobs, _remove_the_rest(tx, name, limit)


def _remove_the_rest(tx: EntryTx, name: str, limit: int) -> bool:
    """What is left when all queues are gone. Returns whether there is more."""
    schedules = list(islice(_values(tx, keys.SCHEDULE_NAME, name), limit))
    for schedule_id in schedules:
        stored = tx.kv.get(keys.schedule(schedule_id.decode()))
        assert stored is not None
        removal.remove_schedule(tx, decode_schedule(stored))
    found = list(islice(_values(tx, keys.BATCH, name), limit))
    for batch in map(decode_batch, found):
        # No job of it is left, so it is over.
        assert batch.over_ns is not None, f"batch {batch.id} waits for jobs that are gone"
        batches.forget(tx, batch.over_ns, qualified(name, batch.id))
    for key, _ in _pairs(tx, keys.WEBHOOK, name):
        removal.remove_webhook(tx, keys.parse_webhook(key))
    for worker_id in [each for each in tx.state.workers if namespace_of(each) == name]:
        workers.forget(tx, worker_id)
    return limit in (len(schedules), len(found))


def _count(tx: EntryTx, family: bytes, name: str) -> int:
    return sum(1 for _ in islice(_values(tx, family, name), _COUNTED_MAX))


def _values(tx: EntryTx, family: bytes, name: str) -> Iterator[bytes]:
    return (value for _, value in _pairs(tx, family, name))


def _pairs(tx: EntryTx, family: bytes, name: str) -> list[tuple[bytes, bytes]]:
    prefix = family + qualified(name, "").encode()
    return list(islice(tx.kv.scan(prefix, keys.after(prefix)), _COUNTED_MAX))
