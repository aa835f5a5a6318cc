"""The store and the answers against what the model says they should be."""

import json
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import groupby

from msgspec.structs import replace

from corvo.core.access.api_key import decode_key
from corvo.core.access.audit import decode_audit, decode_bounds
from corvo.core.access.role import decode_role
from corvo.core.access.session import decode_session
from corvo.core.access.sso import decode_sso
from corvo.core.batch import decode_batch
from corvo.core.bulk import decode_bulk, decode_ids
from corvo.core.errors import CorvoError
from corvo.core.events import EventType, decode_record
from corvo.core.job import decode_job
from corvo.core.namespace import decode_namespace
from corvo.core.queue import decode_queue
from corvo.core.schedule import decode_schedule
from corvo.core.sealing.form import is_sealed
from corvo.core.shared_settings import decode_shared_settings
from corvo.core.states import JobState
from corvo.core.webhook import decode_webhook
from corvo.core.worker import decode_worker
from corvo.fsm.rules.stored_answers import decode_answer
from corvo.ops import results
from corvo.storage import audit_keys, keys
from corvo.storage.locks import decode_lock

COUNTED = {
    EventType.ENQUEUED: "enqueued_total",
    EventType.COMPLETED: "completed_total",
    EventType.FAILED: "failed_total",
}


def differences(kv, model):
    """One sentence for each thing that is not as the model has it."""
    found, right = _stored(kv), _expected(model)
    for what, should in right.items():
        if found[what] == should:
            continue
        if not isinstance(should, dict):
            yield f"{what} are {found[what]}, should be {should}"
            continue
        for name in found[what].keys() | should.keys():
            if found[what].get(name) != should.get(name):
                yield f"{what}: {name} is {found[what].get(name)}, should be {should.get(name)}"


def _stored(kv):
    """What is in the store, by the names the model has for it."""
    jobs = {job.id: job for _, job in _read(kv, keys.JOB, decode_job)}
    return {
        "jobs": {job_id: without_traces(job) for job_id, job in jobs.items()},
        "payloads": {
            job_id: _plain(job.payload or kv.get(keys.payload(job_id))) for job_id, job in jobs.items()
        },
        "lines": _lines(keys.parse_pending(key) for key, _ in _read(kv, keys.PENDING)),
        "queues": {
            queue.name: replace(queue, floors=[], payload_bytes=0)
            for _, queue in _read(kv, keys.QUEUE, decode_queue)
        },
        "claims": {
            queue.name: [keys.parse_rate(key)[0] for key, _ in _read(kv, keys.rate_prefix(queue.name))]
            for _, queue in _read(kv, keys.QUEUE, decode_queue)
        },
        "locks": {
            keys.parse_unique(key): (lock.job_id, lock.expires_ns, lock.until)
            for key, lock in _read(kv, keys.UNIQUE, decode_lock)
        },
        "batches": {batch.id: batch for _, batch in _read(kv, keys.BATCH, decode_batch)},
        "waits": {keys.parse_dependent(key) for key, _ in _read(kv, keys.DEPENDENT)},
        "news": sorted(keys.parse_timed(keys.RESOLVING, key) for key, _ in _read(kv, keys.RESOLVING)),
        "schedules": {each.id: each for _, each in _read(kv, keys.SCHEDULE, decode_schedule)},
        "webhooks": {each.id: each for _, each in _read(kv, keys.WEBHOOK, decode_webhook)},
        "keys": {each.id: each for _, each in _read(kv, keys.API_KEY, decode_key)},
        "roles": {each.name: each for _, each in _read(kv, keys.ROLE, decode_role)},
        "being shut": kv.get(keys.SHUT) is not None,
        "sessions": {each.id: each for _, each in _read(kv, keys.SESSION, decode_session)},
        "sso": None if kv.get(keys.SSO) is None else decode_sso(kv.get(keys.SSO)),
        "tasks": {task.id: wordless(task) for _, task in _read(kv, keys.BULK, decode_bulk)},
        "steps": [ids for _, ids in _read(kv, keys.BULK_IDS, decode_ids)],
        "namespaces": {each.name: each for _, each in _read(kv, keys.NAMESPACE, decode_namespace)},
        "audit": {
            audit_keys.parse_record(key): record for key, record in _read(kv, keys.AUDIT, decode_audit)
        },
        "audit bounds": {
            bounds.namespace: bounds if bounds.count else replace(bounds, first_ns=...)
            for _, bounds in _read(kv, keys.AUDIT_BOUNDS, decode_bounds)
        },
        "audit times": [
            (audit_keys.parse_time(key), audit_keys.parse_record(place))
            for key, place in _read(kv, keys.AUDIT_TIME)
        ],
        "rules": decode_shared_settings(kv.get(keys.SHARED_SETTINGS)) or {},
        "workers": {worker.id: worker for _, worker in _read(kv, keys.WORKER, decode_worker)},
        "answers": {
            key[len(keys.IDEMPOTENCY) :].decode(): (answer.digest, answer.expires_ns)
            for key, answer in _read(kv, keys.IDEMPOTENCY, decode_answer)
        },
        "events": [
            (
                keys.parse_events(key),
                record.at_ns,
                record.first_seq + n,
                event.type,
                event.job_id,
                event.queue,
            )
            for key, record in _read(kv, keys.EVENTS, decode_record)
            for n, event in enumerate(record.events)
        ],
    }


def _expected(model):
    """What should be in it: every count is a recount."""
    states = Counter((job.queue, job.state) for job in model.jobs.values())
    parked = Counter(job.queue for job in model.jobs.values() if model.is_parked(job))
    totals = _totals(model)
    return {
        "jobs": model.jobs,
        "payloads": {job_id: _plain(payload) for job_id, payload in model.payloads.items()},
        "lines": {
            name: line for name in model.queues if (line := [job.id for job in model.waiting_in(name)])
        },
        "queues": {
            name: replace(
                queue,
                counts=[states[name, state] for state in JobState],
                parked=parked[name],
                floors=[],
                **totals[name],
            )
            for name, queue in model.queues.items()
        },
        "claims": {name: model.claims.get(name, []) for name in model.queues},
        "locks": model.locks,
        "batches": model.batches,
        "waits": model.waits,
        "news": sorted(news[:2] for news in model.news),
        "schedules": model.schedules,
        "webhooks": model.webhooks,
        "keys": model.keys,
        "roles": model.roles,
        "being shut": model.is_shut,
        "sessions": model.sessions,
        "sso": model.sso,
        "tasks": model.tasks,
        "steps": [ids for _, ids in sorted(model.steps.items())],
        "namespaces": model.namespaces,
        "audit": model.audit,
        "audit bounds": model.audit_bounds(),
        "audit times": sorted(((record.at_ns, place) for place, record in model.audit.items()), reverse=True),
        "rules": model.rules,
        "workers": model.workers,
        "answers": {key: answer[:2] for key, answer in model.answers.items()},
        "events": [
            (index, at_ns, seq, *event)
            for seq, (index, at_ns, *event) in enumerate(model.events, start=1)
            if index in model.records
        ],
    }


def seen(outcome):
    """An outcome as far as the model predicts it."""
    if isinstance(outcome, CorvoError):
        return type(outcome)
    view = _VIEWS.get(type(outcome))
    return outcome if view is None else view(outcome)


def _id(whole):
    """Of a job, whether it comes with its payload or not."""
    return whole and getattr(whole, "job", whole).id


_VIEWS = {
    results.Enqueued: lambda answer: (answer.job_id, answer.job is None),
    results.Fetched: lambda answer: [[_id(taken) for taken in claim] for claim in answer.claims],
    results.Finished: lambda answer: replace(answer, whole=None),
    results.ActedMany: lambda answer: (answer.affected, [(f.job_id, f.code) for f in answer.failures]),
    results.BatchSealed: lambda answer: (answer.batch, _id(answer.callback)),
    results.BulkChanged: lambda answer: wordless(answer.task),
    results.QueueChanged: lambda answer: answer.queue.name,
}


def without_traces(job):
    """The document without its payload, what is only kept to find things faster, and words."""
    return replace(job, payload=None, trail=(), awaited=False, last_error=None, size=0)


def wordless(task):
    return replace(task, failures=tuple(replace(failure, message="") for failure in task.failures))


def _totals(model):
    """Lifetime counts of each queue: what happened since it was made."""
    totals = defaultdict(Counter)
    for _, _, kind, _, queue in model.events:
        if kind is EventType.QUEUE_DELETED:
            totals.pop(queue, None)
        elif kind in COUNTED:
            totals[queue][COUNTED[kind]] += 1
    return {name: {column: totals[name][column] for column in COUNTED.values()} for name in model.queues}


def _plain(payload):
    """What the payload reads as, whatever words it has for an error."""
    value = _parsed(payload) if isinstance(payload, bytes) and not is_sealed(payload) else payload
    if isinstance(value, dict) and "failed_job_id" in value:
        value = value | {"error": ...}
    return value


_parsed = lru_cache(json.loads)


def _lines(places):
    return {name: [place[3] for place in line] for name, line in groupby(places, key=lambda place: place[0])}


def _read(kv, family, decode=None):
    for key, value in kv.scan(family, keys.after(family)):
        yield key, value if decode is None else decode(value)
