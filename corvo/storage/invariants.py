"""What must always hold (ARCHITECTURE.md), checked against everything in a store.

Used by the tests after every random run, by the chaos harness and by `corvo doctor`. Yields one
sentence per violation; none means sound. Streams over the store, so a million jobs take time but not
memory: documents are checked against indexes by lookups, and indexes against documents the same way.
"""

from collections import Counter
from collections.abc import Iterator

from corvo.core.batch import decode_batch
from corvo.core.clock import NS_PER_S
from corvo.core.events import decode_record
from corvo.core.job import BatchOutcome, Job, UniqueUntil, decode_job
from corvo.core.namespace import Qualified, namespace_of, qualified
from corvo.core.queue import Queue, decode_queue
from corvo.core.schedule import decode_schedule
from corvo.core.states import LABELS, TERMINAL, JobState
from corvo.core.webhook import RECENT_MAX, decode_webhook
from corvo.storage import keys, namespace_invariants
from corvo.storage.access_invariants import check_access
from corvo.storage.audit_invariants import check_audit
from corvo.storage.index import demanded
from corvo.storage.kv import KvReader
from corvo.storage.locks import Lock, decode_lock, expiry_key, parse_expiry_name
from corvo.storage.meta import FORMAT, GENESIS, Meta, decode_meta
from corvo.storage.relations import named_by, relations


def check(store: KvReader) -> Iterator[str]:
    """One sentence per thing that is wrong."""
    stored = store.get(keys.META)
    meta = GENESIS if stored is None else decode_meta(stored)
    if meta.format != FORMAT:
        yield f"the store has format {meta.format}, this version reads format {FORMAT}"
        return
    tally = _Tally()
    yield from _check_jobs(store, meta, tally)
    yield from _check_indexes(store)
    yield from _check_attachments(store)
    yield from _check_queues(store, tally)
    yield from _check_batches(store, tally)
    yield from _check_dependents(store)
    yield from _check_locks(store, meta)
    yield from _check_answers(store)
    yield from _check_schedules(store)
    yield from _check_schedule_indexes(store)
    yield from _check_events(store, meta)
    yield from _check_webhooks(store, meta)
    yield from _check_relatives(store)
    yield from check_access(store)
    yield from namespace_invariants.check_documents(store)
    yield from check_audit(store)


class _Tally:
    """What the documents add up to, for comparison with what is counted elsewhere."""

    def __init__(self) -> None:
        self.states: Counter[tuple[Qualified, JobState]] = Counter()
        self.parked: Counter[Qualified] = Counter()
        self.payload_bytes: Counter[Qualified] = Counter()
        #: Jobs of each batch that have not been counted in it yet.
        self.open: Counter[Qualified] = Counter()

    def add(self, job: Job) -> None:
        self.states[job.queue, job.state] += 1
        self.payload_bytes[job.queue] += job.size
        if job.is_parked:
            self.parked[job.queue] += 1
        if job.flow is not None and job.flow.batch_id and job.flow.batch_outcome is BatchOutcome.OPEN:
            self.open[qualified(namespace_of(job.queue), job.flow.batch_id)] += 1


def _family(store: KvReader, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
    return store.scan(prefix, keys.after(prefix))


def _job(store: KvReader, job_id: str) -> Job | None:
    stored = store.get(keys.job(job_id))
    return None if stored is None else decode_job(stored)


# Documents


def _check_jobs(store: KvReader, meta: Meta, tally: _Tally) -> Iterator[str]:
    tokens: dict[int, str] = {}
    births: set[int] = set()
    for key, value in _family(store, keys.JOB):
        job = decode_job(value)
        if job.created_ns in births:
            yield f"{job.id} was created in the same nanosecond as another job"
        births.add(job.created_ns)
        if keys.parse_job(key) != job.id:
            yield f"the document under {key!r} calls itself {job.id}"
        tally.add(job)
        if job.created_ns > meta.last_ns:
            yield f"{job.id} was created after the last entry"
        for entry in demanded(job):
            if store.get(entry) is None:
                yield f"{job.id} is {job.state.label} but the index entry {entry!r} is missing"
        yield from _check_payload_of(store, job)
        for number in range(job.first_error, job.error_count):
            if store.get(keys.error(job.id, number)) is None:
                yield f"error {number} of {job.id} is missing"
        yield from namespace_invariants.check_job(store, job)
        yield from _check_relations_of(store, job)
        yield from _check_lease(job, tokens)
        yield from _check_lock_of(store, job, meta)
        yield from _check_waits_of(store, job)


def _check_lease(job: Job, tokens: dict[int, str]) -> Iterator[str]:
    if (job.state is JobState.ACTIVE) != (job.lease is not None):
        yield f"{job.id} is {job.state.label} and {'has no' if job.lease is None else 'has a'} lease"
    if job.lease is not None:
        other = tokens.setdefault(job.lease.token, job.id)
        if other != job.id:
            yield f"{job.id} and {other} have the same lease token"
    if job.attempt > job.lease_version:
        yield f"{job.id} counts {job.attempt} attempts but was leased {job.lease_version} times"


def _check_payload_of(store: KvReader, job: Job) -> Iterator[str]:
    payload = store.get(keys.payload(job.id)) if job.payload is None else job.payload
    if payload is None:
        yield f"the payload of {job.id} is missing"
    elif job.size not in (0, len(payload)):
        yield f"{job.id} counts {job.size} bytes of payload but has {len(payload)}"


def _check_lock_of(store: KvReader, job: Job, meta: Meta) -> Iterator[str]:
    """A living job that asked to be unique holds its lock until the period has passed."""
    if job.unique is None or job.state in TERMINAL:
        return
    if job.unique.until is UniqueUntil.START and job.lease_version > 0:
        return
    stored = store.get(keys.unique(job.queue, job.unique.key))
    if stored is not None and decode_lock(stored).job_id == job.id:
        return
    if job.created_ns + job.unique.period_s * NS_PER_S > meta.last_ns:
        yield f"{job.id} should hold the lock {job.unique.key!r} of queue {job.queue}"


def _check_waits_of(store: KvReader, job: Job) -> Iterator[str]:
    """A living job is noted down at exactly as many others as it still waits for."""
    if job.flow is None or not job.flow.depends_on or job.state in TERMINAL:
        return
    noted = sum(
        store.get(keys.dependent(dependency, job.id)) is not None for dependency in job.flow.depends_on
    )
    if noted != job.flow.unmet:
        yield f"{job.id} waits for {job.flow.unmet} jobs but is noted down at {noted}"


# Indexes


def _check_indexes(store: KvReader) -> Iterator[str]:
    for key, _ in _family(store, keys.PENDING):
        yield from _check_entry(store, key, keys.parse_pending(key)[3])
    for key, _ in _family(store, keys.MEMBER):
        yield from _check_entry(store, key, keys.parse_member(key)[2])
    for family in (keys.DUE, keys.LEASE, keys.EXPIRY, keys.ENDED):
        for key, _ in _family(store, family):
            yield from _check_entry(store, key, keys.parse_timed(family, key)[1])


def _check_entry(store: KvReader, key: bytes, job_id: str) -> Iterator[str]:
    job = _job(store, job_id)
    if job is None:
        yield f"the index entry {key!r} has no job"
    elif key not in demanded(job):
        yield f"the index entry {key!r} does not fit {job_id}, which is {job.state.label}"


def _check_attachments(store: KvReader) -> Iterator[str]:
    for key, _ in _family(store, keys.PAYLOAD):
        job = _job(store, key[len(keys.PAYLOAD) :].decode())
        if job is None or job.payload is not None:
            yield f"the payload under {key!r} belongs to no job"
    for key, _ in _family(store, keys.ERROR):
        job_id, number = keys.parse_error(key)
        job = _job(store, job_id)
        # Errors older than those kept come from versions without a limit, and go with their job.
        if job is None or number >= job.error_count:
            yield f"error {number} of {job_id} belongs to no job"


# Queues


def _check_queues(store: KvReader, tally: _Tally) -> Iterator[str]:
    known: set[Qualified] = set()
    for key, value in _family(store, keys.QUEUE):
        queue = decode_queue(value)
        known.add(queue.name)
        if keys.parse_queue(key) != queue.name:
            yield f"the queue under {key!r} calls itself {queue.name}"
        for state in JobState:
            real = tally.states[queue.name, state]
            if queue.counts[state] != real:
                yield f"queue {queue.name} counts {queue.counts[state]} {LABELS[state]} jobs but has {real}"
        if queue.parked != tally.parked[queue.name]:
            yield f"queue {queue.name} counts {queue.parked} parked jobs but has {tally.parked[queue.name]}"
        if queue.payload_bytes != tally.payload_bytes[queue.name]:
            real = tally.payload_bytes[queue.name]
            yield f"queue {queue.name} counts {queue.payload_bytes} bytes of payload but has {real}"
        yield from _check_floors(store, queue)
        yield from _check_rate(store, queue)
    for name in sorted({name for name, _ in tally.states} - known):
        yield f"queue {name} has jobs but no document"


def _check_rate(store: KvReader, queue: Queue) -> Iterator[str]:
    prefix = keys.rate_prefix(queue.name)
    if queue.rate_limit is None and next(iter(store.scan(prefix, keys.after(prefix))), None) is not None:
        yield f"queue {queue.name} is not throttled but remembers claims"


def _check_floors(store: KvReader, queue: Queue) -> Iterator[str]:
    prefix = keys.pending_prefix(queue.name)
    for priority, floor in enumerate(queue.floors):
        start = keys.pending_sort_start(priority, 0)
        below = store.scan(prefix + start, prefix + keys.pending_sort_start(priority, floor))
        if next(iter(below), None) is not None:
            yield f"queue {queue.name} has a pending job below its floor for priority {priority}"


# Flows


def _check_batches(store: KvReader, tally: _Tally) -> Iterator[str]:
    for key, value in _family(store, keys.BATCH):
        batch = decode_batch(value)
        name = qualified(batch.namespace, batch.id)
        yield from namespace_invariants.check_batch(key, batch)
        if batch.pending != tally.open[name]:
            yield f"batch {batch.id} waits for {batch.pending} jobs but {tally.open[name]} are open"
        if batch.pending + batch.succeeded + batch.failed != batch.total:
            yield f"batch {batch.id} does not add up: {key!r}"
        if batch.sealed and not batch.pending and batch.ended_ns is None:
            yield f"batch {batch.id} is done but has not been told so"
        if (batch.over_ns is None) != (batch.pending > 0):
            yield f"batch {batch.id} has {batch.pending} jobs to wait for and is over since {batch.over_ns}"
        if batch.over_ns is not None and not _is_noted(store, keys.BATCH_OVER, batch.over_ns, name):
            yield f"batch {batch.id} would never be forgotten"
    yield from _check_batches_over(store)


def _check_batches_over(store: KvReader) -> Iterator[str]:
    for key, _ in _family(store, keys.BATCH_OVER):
        over_ns, batch_id = keys.parse_timed(keys.BATCH_OVER, key)
        stored = store.get(keys.batch(Qualified(batch_id)))
        if stored is None or decode_batch(stored).over_ns != over_ns:
            yield f"batch {batch_id} is noted as over but is not"


def _is_noted(store: KvReader, family: bytes, at_ns: int, name: str) -> bool:
    return store.get(keys.timed(family, at_ns, name)) is not None


def _check_dependents(store: KvReader) -> Iterator[str]:
    for key, _ in _family(store, keys.DEPENDENT):
        dependency, job_id = keys.parse_dependent(key)
        job = _job(store, job_id)
        if job is None or job.state in TERMINAL or job.flow is None or dependency not in job.flow.depends_on:
            yield f"{job_id} is noted down as waiting for {dependency} but does not"
        awaited = _job(store, dependency)
        if awaited is not None and not awaited.awaited:
            yield f"{dependency} does not know that {job_id} waits for it"


# Locks and remembered answers


def _check_locks(store: KvReader, meta: Meta) -> Iterator[str]:
    for key, value in _family(store, keys.UNIQUE):
        queue, unique_key = keys.parse_unique(key)
        lock = decode_lock(value)
        if store.get(expiry_key(queue, unique_key, lock)) is None:
            yield f"the lock {unique_key!r} of queue {queue} would never expire"
        if lock.expires_ns > meta.last_ns and not _is_earned(store, queue, unique_key, lock):
            yield f"the lock {unique_key!r} of queue {queue} names {lock.job_id}, which does not need it"
    for key, _ in _family(store, keys.UNIQUE_EXPIRY):
        expires_ns, name = keys.parse_timed(keys.UNIQUE_EXPIRY, key)
        stored = store.get(keys.unique(*parse_expiry_name(name)))
        if stored is None or decode_lock(stored).expires_ns != expires_ns:
            yield f"the lock expiry {key!r} has no lock"


def _is_earned(store: KvReader, queue: Qualified, unique_key: str, lock: Lock) -> bool:
    if lock.until is UniqueUntil.TTL:
        return True
    job = _job(store, lock.job_id)
    if job is None or job.state in TERMINAL or job.unique is None:
        return False
    if (job.queue, job.unique.key) != (queue, unique_key):
        return False
    # A job that was claimed once and is retried by hand is to be started again, and has its lock again.
    return lock.until is UniqueUntil.SUCCESS or job.state is not JobState.ACTIVE


def _check_answers(store: KvReader) -> Iterator[str]:
    for key, _ in _family(store, keys.IDEMPOTENCY_EXPIRY):
        _, name = keys.parse_timed(keys.IDEMPOTENCY_EXPIRY, key)
        if store.get(keys.idempotency(Qualified(name))) is None:
            yield f"the expiry {key!r} has no remembered answer"


# Schedules


def _check_schedules(store: KvReader) -> Iterator[str]:
    for key, value in _family(store, keys.SCHEDULE):
        schedule = decode_schedule(value)
        if keys.parse_schedule(key) != schedule.id:
            yield f"the schedule under {key!r} calls itself {schedule.id}"
        yield from namespace_invariants.check_schedule(schedule)
        if store.get(keys.schedule_name(schedule.plan.name)) != schedule.id.encode():
            yield f"schedule {schedule.id} is not found by its name {schedule.plan.name!r}"
        if schedule.next_ns is not None:
            if not schedule.plan.enabled:
                yield f"schedule {schedule.id} is disabled but would fire"
            if store.get(keys.timed(keys.SCHEDULE_DUE, schedule.next_ns, schedule.id)) is None:
                yield f"schedule {schedule.id} would never fire"


def _check_schedule_indexes(store: KvReader) -> Iterator[str]:
    for key, value in _family(store, keys.SCHEDULE_NAME):
        name, stored = keys.parse_schedule_name(key), store.get(keys.schedule(value.decode()))
        if stored is None or decode_schedule(stored).plan.name != name:
            yield f"the name {name!r} leads to no schedule of that name"
    for key, _ in _family(store, keys.SCHEDULE_DUE):
        next_ns, schedule_id = keys.parse_timed(keys.SCHEDULE_DUE, key)
        stored = store.get(keys.schedule(schedule_id))
        if stored is None or decode_schedule(stored).next_ns != next_ns:
            yield f"schedule {schedule_id} is noted as due but is not"


# Events


def _check_events(store: KvReader, meta: Meta) -> Iterator[str]:
    expected = meta.first_seq
    for key, value in _family(store, keys.EVENTS):
        record = decode_record(value)
        index = keys.parse_events(key)
        if index < meta.first_event_index:
            yield f"the events of entry {index} should have been trimmed"
        if record.first_seq != expected:
            yield f"the events of entry {index} begin with {record.first_seq}, not {expected}"
        expected = record.first_seq + len(record.events)
    if expected != meta.last_seq + 1:
        yield f"the last event is {expected - 1}, not {meta.last_seq}"


# Webhooks and relatives


def _check_webhooks(store: KvReader, meta: Meta) -> Iterator[str]:
    for key, value in _family(store, keys.WEBHOOK):
        webhook = decode_webhook(value)
        if keys.parse_webhook(key) != webhook.id:
            yield f"the webhook under {key!r} calls itself {webhook.id}"
        yield from namespace_invariants.check_webhook(webhook)
        if webhook.cursor > meta.last_seq:
            yield f"webhook {webhook.id} is at event {webhook.cursor} but the last one is {meta.last_seq}"
        if webhook.epoch > meta.index:
            yield f"webhook {webhook.id} was changed by entry {webhook.epoch}, which has not come yet"
        if len(webhook.recent) > RECENT_MAX:
            yield f"webhook {webhook.id} remembers {len(webhook.recent)} deliveries"


def _check_relations_of(store: KvReader, job: Job) -> Iterator[str]:
    for key in relations(job):
        if store.get(key) is None:
            yield f"{job.id} names a relative but {key!r} is missing"


def _check_relatives(store: KvReader) -> Iterator[str]:
    for key, _ in _family(store, keys.RELATIVE):
        named_id, job_id = keys.parse_relative(key)
        job = _job(store, job_id)
        if job is None or named_id not in named_by(job):
            yield f"{job_id} is noted down as a relative of {named_id} but does not name it"
