"""State reader: reads answers to questions from the state machine's own store and memory."""

from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Any

from corvo.actors.access.messages import AccessChanged, SessionsChanged
from corvo.actors.audit.messages import AuditFound, AuditRead, FindAudit, ReadAudit
from corvo.actors.bulk.messages import BulkIdsFound, BulkListed, BulkMoved, StoredJob, StoredRead
from corvo.actors.cluster.messages import SharedSettingsFound
from corvo.actors.events.messages import EventsFound, HistoryFound, NumberedEvent, numbered
from corvo.actors.state import access_reader, audit_reader
from corvo.actors.state.explain import reasons
from corvo.actors.state.questions import (
    BatchesListed,
    BatchFound,
    ErrorsFound,
    Explained,
    Graph,
    JobFound,
    JobsFound,
    NamespaceFound,
    NamespacesListed,
    QueueInfo,
    QueuesFound,
    QueuesListed,
    RecalledAnswer,
    StatesSummed,
    WorkersListed,
)
from corvo.actors.state.relatives import draw
from corvo.actors.state.reverse_scan import newest
from corvo.actors.time.messages import AUDIT, EVENTS, WORKERS, ScheduleFound, SchedulesDue, SchedulesListed
from corvo.actors.webhooks.messages import WebhookFound, WebhooksListed
from corvo.core.batch import decode_batch
from corvo.core.bulk import decode_bulk, decode_ids
from corvo.core.clock import NS_PER_MS
from corvo.core.events import decode_record
from corvo.core.ids import earliest, made_ms
from corvo.core.job import TRAIL_MAX, Job, JobError, decode_error, decode_job
from corvo.core.limits import JOB_ERRORS_SHOWN_BYTES_MAX, JOB_ERRORS_SHOWN_MAX, QUEUES_AT_ONCE
from corvo.core.namespace import (
    ALL,
    ANYWHERE,
    Qualified,
    Reach,
    covers,
    includes,
    namespace_in,
    qualified,
)
from corvo.core.schedule import Schedule, decode_schedule
from corvo.core.shared_settings import decode_shared_settings
from corvo.core.webhook import decode_webhook
from corvo.core.worker import seen_by
from corvo.fsm.rules.stored_answers import decode_answer
from corvo.fsm.state import State
from corvo.ops.idempotency import Once
from corvo.storage import keys
from corvo.storage.eventlog import records_from
from corvo.storage.names import names_within

#: A list stops here, so that schedules with large payloads do not make a huge answer.
_PAGE_BYTES_MAX = 4 * 1024 * 1024


class StateReader:
    def __init__(self, state: State) -> None:
        self._state = state

    def rules(self, tag: Any) -> SharedSettingsFound:
        return SharedSettingsFound(decode_shared_settings(self._state.store.get(keys.SHARED_SETTINGS)), tag)

    def access(self) -> AccessChanged:
        return access_reader.access(self._state)

    def sessions(self) -> SessionsChanged:
        return access_reader.sessions(self._state)

    def find_audit(self, question: FindAudit) -> AuditFound:
        return audit_reader.find(self._state, question)

    def read_audit(self, question: ReadAudit) -> AuditRead:
        return audit_reader.read(self._state, question.after_ns, question.limit)

    def job(self, job_id: str, reach: Reach | None) -> JobFound | None:
        job = self._document(job_id, reach)
        if job is None:
            return None
        errors, _ = self._errors(job, job.error_count, JOB_ERRORS_SHOWN_MAX, JOB_ERRORS_SHOWN_BYTES_MAX)
        return JobFound(job, self._payload(job), errors)

    def jobs(self, job_ids: list[str], reach: Reach | None) -> JobsFound:
        found: list[JobFound] = []
        # They share the room for errors; the last one of each fits in any case.
        room = _PAGE_BYTES_MAX
        for job_id in job_ids:
            job = self._document(job_id, reach)
            if job is not None:
                most = min(room, JOB_ERRORS_SHOWN_BYTES_MAX)
                errors, size = self._errors(job, job.error_count, JOB_ERRORS_SHOWN_MAX, most)
                room = max(0, room - size)
                found.append(JobFound(job, self._payload(job), errors))
        return JobsFound(found)

    def queues_of(self, job_ids: list[str]) -> QueuesFound:
        found = ((job_id, self._document(job_id, ANYWHERE)) for job_id in job_ids)
        return QueuesFound({job_id: job.queue for job_id, job in found if job is not None})

    def errors(self, job_id: str, before: int | None, limit: int, reach: Reach | None) -> ErrorsFound | None:
        job = self._document(job_id, reach)
        if job is None:
            return None
        end = job.error_count if before is None else max(job.first_error, min(before, job.error_count))
        errors, _ = self._errors(job, end, limit, _PAGE_BYTES_MAX)
        return ErrorsFound(job, errors, end - len(errors))

    def queues(self, names: tuple[Qualified, ...] | None, reach: Reach | None) -> QueuesListed:
        state = self._state
        rest: tuple[Qualified, ...] = ()
        wanted = self._wanted(names, reach)
        if names is None:
            wanted, rest = wanted[:QUEUES_AT_ONCE], tuple(wanted[QUEUES_AT_ONCE:])
        listed = [
            QueueInfo(queue.doc.copy(), queue.oldest_pending_ns(state.store))
            for queue in map(state.queues.__getitem__, wanted)
        ]
        return QueuesListed(listed, state.meta.last_ns, rest)

    def _wanted(self, names: tuple[Qualified, ...] | None, reach: Reach | None) -> list[Qualified]:
        queues = self._state.queues
        if names is None:
            known = sorted(self._queues_within(reach))
        else:
            known = [name for name in names if name in queues]
        return known if reach == ANYWHERE else [name for name in known if covers(reach, name)]

    def states(self, name: Qualified | None, reach: Reach | None) -> StatesSummed:
        queues = self._state.queues
        wanted = self._wanted(None if name is None else (name,), reach)
        columns = zip(*(queues[each].doc.counts for each in wanted), strict=True)
        return StatesSummed([sum(column) for column in columns])

    def _queues_within(self, reach: Reach | None) -> Iterable[Qualified]:
        if reach is not None and reach.namespace == ALL:
            return self._state.queues
        held = self._state.holdings.get(namespace_in(reach))
        return () if held is None else held.queues

    def namespace(self, name: str) -> NamespaceFound | None:
        return access_reader.namespace(self._state, name)

    def namespaces(self) -> NamespacesListed:
        return access_reader.namespaces(self._state)

    def batch(self, batch_id: str, reach: Reach | None) -> BatchFound | None:
        stored = self._state.store.get(keys.batch(qualified(namespace_in(reach), batch_id)))
        return None if stored is None else BatchFound(decode_batch(stored))

    def batches(self, before_id: str | None, limit: int, reach: Reach | None) -> BatchesListed:
        """Those of one namespace lie together in the store, so no others are read."""

        def place(batch_id: str) -> bytes:
            return keys.batch(qualified(namespace_in(reach), batch_id))

        if before_id is None:
            end, end_ms = keys.after(place("batch_")), self._state.meta.last_ns // NS_PER_MS + 1
        else:
            end, end_ms = place(before_id), made_ms(before_id) + 1
        found = newest(
            self._state.store, lambda at_ms: place(earliest("batch", at_ms)), end, end_ms, limit + 1
        )
        batches = [decode_batch(stored) for stored in found]
        return BatchesListed(batches[:limit], has_more=len(batches) > limit)

    def bulk(self, task_id: str, reach: Reach | None) -> BulkMoved | None:
        stored = self._state.store.get(keys.bulk(task_id))
        if stored is None:
            return None
        task = decode_bulk(stored)
        return BulkMoved(task) if includes(reach, task.reach) else None

    def bulk_tasks(self, before_id: str | None, limit: int, reach: Reach | None) -> BulkListed:
        """Tasks are forgotten after a day, so there are never many. Their ids are in the order of time."""
        end = keys.after(keys.BULK) if before_id is None else keys.bulk(before_id)
        every = (decode_bulk(stored) for _, stored in self._state.store.scan(keys.BULK, end))
        newest = deque((task for task in every if includes(reach, task.reach)), maxlen=limit + 1)
        tasks = list(reversed(newest))
        return BulkListed(tasks[:limit], has_more=len(tasks) > limit)

    def bulk_ids(self, task_id: str, chunk: int) -> BulkIdsFound:
        stored = self._state.store.get(keys.bulk_ids(task_id, chunk))
        return BulkIdsFound([] if stored is None else decode_ids(stored))

    def stored(self, job_ids: list[str], bytes_max: int, reach: Reach | None) -> StoredRead:
        found: list[StoredJob] = []
        size = count = 0
        for job_id in job_ids:
            if size >= bytes_max:
                break
            count += 1
            job = self._document(job_id, reach)
            if job is not None:
                prefix = keys.error_prefix(job_id)
                errors = self._state.store.scan(prefix, keys.after(prefix)) if job.error_count else ()
                numbered = {keys.parse_error(key)[1]: error for key, error in errors}
                found.append(StoredJob(job, self._payload(job), numbered))
                size += len(found[-1].payload) + sum(map(len, numbered.values()))
        return StoredRead(count, found)

    def unfinished_bulk_tasks(self) -> BulkListed:
        found = (self.bulk(task_id, ANYWHERE) for task_id in sorted(self._state.bulk_unfinished))
        return BulkListed([moved.task for moved in found if moved is not None], has_more=False)

    def schedule(self, id_or_name: str, reach: Reach | None) -> ScheduleFound | None:
        stored = self._state.store.get(keys.schedule(id_or_name))
        if stored is None:
            name = qualified(namespace_in(reach), id_or_name)
            named = self._state.store.get(keys.schedule_name(name))
            found = None if named is None else self._schedule(named.decode())
        else:
            found = decode_schedule(stored)
        if found is None or not covers(reach, found.plan.pattern.queue):
            return None
        return ScheduleFound(found)

    def schedules(self, after: str, limit: int, reach: Reach | None) -> SchedulesListed:
        found: list[Schedule] = []
        size = 0
        for schedule_id in names_within(self._state.store, keys.SCHEDULE_NAME, reach, after):
            if len(found) == limit or size > _PAGE_BYTES_MAX:
                return SchedulesListed(found, more=True)
            schedule = self._schedule(schedule_id.decode())
            if covers(reach, schedule.plan.pattern.queue):
                found.append(schedule)
                size += len(schedule.plan.pattern.payload)
        return SchedulesListed(found, more=False)

    def due_schedules(self, now_ns: int, limit: int) -> SchedulesDue:
        state = self._state
        next_ns = state.due.look(keys.SCHEDULE_DUE, state.store)
        due = islice(state.due.until(keys.SCHEDULE_DUE, now_ns + 1, state.store), limit)
        return SchedulesDue([self._schedule(schedule_id) for _, schedule_id in due], next_ns)

    def _schedule(self, schedule_id: str) -> Schedule:
        stored = self._state.store.get(keys.schedule(schedule_id))
        assert stored is not None, f"schedule {schedule_id} is listed but has no document"
        return decode_schedule(stored)

    def workers(self, reach: Reach | None) -> WorkersListed:
        state = self._state
        found = seen_by(reach, state.workers.values())
        if reach == ANYWHERE:
            return WorkersListed(found, dict(state.active_by_worker))
        active = {worker.id: state.active_by_worker.get(worker.id, 0) for worker in found}
        return WorkersListed(found, {worker_id: count for worker_id, count in active.items() if count})

    def events(self, after_seq: int, limit: int, reach: Reach | None, tag: Any = None) -> EventsFound:
        meta = self._state.meta
        found: list[NumberedEvent] = []
        start = max(after_seq + 1, meta.first_seq)
        for _, record in records_from(self._state.store, meta, start):
            found += [event for event in numbered(record) if event.seq >= start]
            if len(found) >= limit:
                break
        seen = found[:limit]
        read_seq = seen[-1].seq if seen else meta.last_seq
        if reach != ANYWHERE:
            seen = [event for event in seen if covers(reach, event.event.place)]
        return EventsFound(seen, meta.first_seq, meta.last_seq, tag, read_seq)

    def webhooks(self, reach: Reach | None) -> WebhooksListed:
        stored = self._state.store.scan(keys.WEBHOOK, keys.after(keys.WEBHOOK))
        every = (decode_webhook(value) for _, value in stored)
        found = [webhook for webhook in every if includes(reach, webhook.reach)]
        return WebhooksListed(sorted(found, key=lambda webhook: (webhook.created_ns, webhook.id)))

    def webhook(self, webhook_id: Qualified, reach: Reach | None) -> WebhookFound | None:
        stored = self._state.store.get(keys.webhook(webhook_id))
        if stored is None:
            return None
        webhook = decode_webhook(stored)
        return WebhookFound(webhook) if includes(reach, webhook.reach) else None

    def relatives(self, job_id: str, reach: Reach | None) -> Graph | None:
        job = self._document(job_id, reach)
        if job is None:
            return None

        def find(relative_id: str) -> Job | None:
            return self._document(relative_id, reach)

        return draw(self._state.store, find, job)

    def history(self, job_id: str, reach: Reach | None) -> HistoryFound | None:
        """By the entries that the job remembers; the oldest may have been trimmed from the log."""
        job = self._document(job_id, reach)
        if job is None:
            return None
        found: list[NumberedEvent] = []
        complete = len(job.trail) < TRAIL_MAX
        for index in job.trail:
            stored = self._state.store.get(keys.events(index))
            if stored is None:
                complete = False
                continue
            record = decode_record(stored)
            found += [told for told in numbered(record) if told.event.job_id == job_id]
        return HistoryFound(found, complete)

    def explain(self, job_id: str, now_ns: int, reach: Reach | None) -> Explained | None:
        job = self._document(job_id, reach)
        if job is None:
            return None
        found, ahead = reasons(self._state, job, now_ns)
        return Explained(job, found, ahead)

    def recall(self, once: Once) -> RecalledAnswer:
        stored = self._state.store.get(keys.idempotency(once.key))
        if stored is None:
            return RecalledAnswer(None)
        answer = decode_answer(stored)
        if answer.expires_ns <= self._state.meta.last_ns:
            return RecalledAnswer(None)
        return RecalledAnswer(list(answer.repeat(once)))

    def knows_key(self, key: Qualified) -> bool:
        return self._state.store.get(keys.idempotency(key)) is not None

    def due_ns(self, family: bytes, kept_max: int) -> int | None:
        """When the next thing of a family is due; of events and workers, since when the oldest is there."""
        state = self._state
        if family == EVENTS:
            return self._oldest_event_ns(kept_max)
        if family == AUDIT:
            return audit_reader.oldest_ns(state, kept_max)
        if family == WORKERS:
            return min((worker.last_seen_ns for worker in state.workers.values()), default=None)
        return state.due.look(family, state.store)

    def _oldest_event_ns(self, kept_max: int) -> int | None:
        meta = self._state.meta
        if meta.last_seq - meta.first_seq + 1 > kept_max:
            return 0
        start = keys.events(meta.first_event_index)
        first = next(iter(self._state.store.scan(start, keys.after(keys.EVENTS))), None)
        return None if first is None else decode_record(first[1]).at_ns

    def _document(self, job_id: str, reach: Reach | None) -> Job | None:
        """A job out of reach does not exist."""
        job = self._state.jobs.get(job_id)
        if job is None:
            stored = self._state.store.get(keys.job(job_id))
            if stored is None:
                return None
            job = decode_job(stored)
        return job if covers(reach, job.queue) else None

    def _payload(self, job: Job) -> bytes:
        if job.payload is not None:
            return job.payload
        stored = self._state.store.get(keys.payload(job.id))
        assert stored is not None, f"the payload of {job.id} is missing"
        return stored

    def _errors(self, job: Job, end: int, most: int, room: int) -> tuple[list[JobError], int]:
        """The last errors before this number, oldest first, and their size: as many as there is room for, but
        at least one."""
        found: deque[JobError] = deque()
        size = 0
        for number in range(end - 1, max(job.first_error, end - most) - 1, -1):
            stored = self._state.store.get(keys.error(job.id, number))
            assert stored is not None, f"error {number} of {job.id} is missing"
            if found and size + len(stored) > room:
                break
            size += len(stored)
            found.appendleft(decode_error(stored))
        return list(found), size
