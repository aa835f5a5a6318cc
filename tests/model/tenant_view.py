"""All that a tenant can be shown: every question to the state machine and to the mirror, with its reach."""

from types import SimpleNamespace

from msgspec.structs import replace

from corvo.actors.state.reader import StateReader
from corvo.core.namespace import namespace_in, qualified
from corvo.core.states import JobState
from corvo.storage.mirror.search.failures import failures
from corvo.storage.mirror.search.query import Query, Sort
from corvo.storage.mirror.search.search import count_jobs, count_states, find_ids
from tests.storage.mirror.support import hold


def view(fsm, mirrored, reach, job_ids, words):
    """What whoever has this reach sees, by the name of the question; and the ids that were asked about."""
    reader = StateReader(fsm.machine.state)
    now_ns = fsm.clock.now_ns()
    asked = sorted(set(job_ids))
    answers = {
        "jobs": [each and each.job for each in (reader.job(job_id, reach) for job_id in asked)],
        "many jobs": reader.jobs(asked, reach),
        "errors": [reader.errors(job_id, None, 10, reach) for job_id in asked],
        "reasons": [reader.explain(job_id, now_ns, reach) for job_id in asked],
        "graphs": [reader.relatives(job_id, reach) for job_id in asked],
        "histories": [_unnumbered(reader.history(job_id, reach)) for job_id in asked],
        "queues": reader.queues(None, reach).queues,
        "batches": reader.batches(None, 100, reach),
        "pages of batches": _pages_of_batches(reader, reach),
        "tasks": reader.bulk_tasks(None, 100, reach),
        "schedules": reader.schedules("", 100, reach),
        "next schedules": reader.schedules("x", 1, reach),
        "schedules by name": [reader.schedule(name, reach) for name in ("x", "y", "z")],
        "webhooks": [replace(each, cursor=0) for each in reader.webhooks(reach).webhooks],
        "workers": sorted(reader.workers(reach).workers, key=lambda worker: worker.id),
        "active": reader.workers(reach).active_jobs,
        "events": _unnumbered(reader.events(0, 100_000, reach)),
        "namespace": reader.namespace(namespace_in(reach)),
    }
    return SimpleNamespace(asked=asked, answers=answers | _found(mirrored, reach, now_ns, words))


def _unnumbered(found):
    return found and [(each.at_ns, each.event) for each in found.events]


def _pages_of_batches(reader, reach):
    found, before = [], None
    while True:
        page = reader.batches(before, 2, reach)
        found += page.batches
        if not page.has_more:
            return found
        before = found[-1].id


def _found(mirrored, reach, now_ns, words):
    """Searches. Pages are followed: a cursor has times in it that are the shared world's."""
    if not words:
        return {}
    dead = (JobState.DEAD, JobState.RETRYING)
    queue = qualified(namespace_in(reach), "a")
    mirrored.flush()
    mirrored.index_words()
    db = mirrored.db
    grouped = hold(failures(Query(reach=reach), 10, now_ns), db)
    return {
        "search": mirrored.all_ids(reach=reach, limit=3),
        "total": mirrored.search(reach=reach, limit=1).total,
        "sorted": [mirrored.all_ids(reach=reach, limit=5, sort=sort) for sort in Sort],
        "dead": mirrored.all_ids(reach=reach, states=dead, limit=2),
        "of a queue": mirrored.all_ids(reach=reach, queue=queue),
        "by text": mirrored.all_ids(reach=reach, payload_contains="n", descending=False),
        "by chain": mirrored.all_ids(reach=reach, chain_id="chn_1"),
        "by unique key": mirrored.all_ids(reach=reach, unique_key="k"),
        "by worker": mirrored.all_ids(reach=reach, worker_id=qualified(namespace_in(reach), "w1")),
        "with errors": mirrored.all_ids(reach=reach, has_errors=True),
        "states": hold(count_states(Query(reach=reach)), db),
        "counted": hold(count_jobs(Query(reach=reach), 10_000), db),
        "ids": hold(find_ids(Query(reach=reach, limit=1_000)), db).ids,
        "words": [[hit.job.id for hit in mirrored.text(word, reach=reach).hits] for word in words],
        "failures": [
            (each.failure, each.jobs, each.dead, each.queues, each.first_ns, each.last_ns, each.samples)
            for each in grouped.groups
        ],
        "failed": (grouped.group_count, grouped.job_count),
    }
