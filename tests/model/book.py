"""What the model knows: the server's documents in plain dicts, and how entries change them.

Nothing is indexed, counted, cached or windowed: whatever is asked is found by looking at everything. A
refused op is undone by putting back the dicts as they were, so documents are replaced and never changed.
"""

from copy import copy

from msgspec.structs import replace

from corvo.core.errors import (
    Conflict,
    CorvoError,
    IdempotencyMismatch,
    QueueQuotaExceeded,
    QuotaExceeded,
)
from corvo.core.events import EventType
from corvo.core.ids import derived
from corvo.core.job import Job
from corvo.core.namespace import Namespace, covers, namespace_of
from corvo.core.queue import Queue
from corvo.core.states import JobState
from corvo.ops.idempotency import Once
from corvo.ops.results import Fetched, Recalled, Upkept, decode_result

DAY_NS = 24 * 3_600 * 1_000_000_000
ENDED = {JobState.COMPLETED, JobState.DEAD, JobState.CANCELLED}


class Book:
    def __init__(self):
        self.jobs = {}  # id -> Job; without payload, trail, awaited and last_error
        self.payloads = {}  # job id -> bytes, or the object it should read as
        self.queues = {}  # name -> Queue; counts and floors are left out
        self.claims = {}  # queue -> times of claims while it was throttled
        self.locks = {}  # (queue, unique key) -> (job id, expires_ns, until)
        self.batches = {}
        self.waits = set()  # (job that is waited for, job that waits)
        self.news = []  # (at_ns, job that ended, why it did not complete, who was told last)
        self.schedules = {}
        self.webhooks = {}
        self.keys = {}
        self.roles = {}
        self.is_shut = False  # whether there ever was a key
        self.sessions = {}
        self.sso = None
        self.tasks = {}
        self.steps = {}  # (task, step) -> job ids
        self.workers = {}
        self.answers = {}  # idempotency key -> (digest, expires_ns, outcomes)
        self.events = []  # (entry, at_ns, type, job id, queue), all there ever were
        self.records = {}  # entry -> (at_ns, number of its first event), those that are kept
        self.given = {}  # every lease token there ever was -> job id
        self.ended = []  # jobs that ended in the op under way, and why they did not complete
        self.namespaces = {}  # those that were set up
        self.audit = {}  # (namespace, number) -> AuditRecord
        self.audit_numbers = {}  # namespace -> first and last number
        self.so_far = ()  # what the ops before the one under way came to
        self.rules = {}  # what the nodes of the cluster must have in common
        self.index, self.now, self.last_ns = 1, 0, 0

    # Entries

    def play(self, index, stamp_ns, ops):
        """What each op of the entry comes to; a refusal is the class of the error."""
        self.index, self.now = index, max(stamp_ns, self.last_ns + 1)
        self.ticks = self.births = self.tokens = 0
        self.touched = set()  # jobs that this entry changed
        first_seq, outcomes, left = len(self.events) + 1, [], list(ops)
        while left:
            op = left.pop(0)
            self.so_far = tuple(outcomes)
            if isinstance(op, Once):
                covered, left = left[: op.count], left[op.count :]
                outcomes += self._once(op, covered)
            else:
                outcomes.append(self._run(op))
        if self.touched or len(self.events) >= first_seq:
            self.records[index] = (self.now, first_seq)
        self.last_ns = self.now + self.ticks
        return outcomes

    def _run(self, op):
        before = self._copied()
        self.ended = []
        try:
            outcome = getattr(self, type(op).__name__)(op)
        except CorvoError as error:
            vars(self).update(before)
            return error
        self.tell_all()
        return outcome

    def _copied(self):
        return {
            name: copy(value) for name, value in vars(self).items() if isinstance(value, dict | set | list)
        }

    def _once(self, op, covered):
        digest, expires_ns, outcomes = self.answers.get(op.key, (op.digest, 0, None))
        if outcomes is not None and expires_ns > self.now:
            if digest != op.digest:
                return [IdempotencyMismatch("")] * (1 + len(covered))
            outcomes = [self.again(outcome) for outcome in outcomes]
            if not _brought_nothing(outcomes):
                return [Recalled(replayed=True), *outcomes]
        self.answers.pop(op.key, None)
        outcomes = [self._run(each) for each in covered]
        if not _brought_nothing(outcomes):
            self.answers[op.key] = (op.digest, self.now + DAY_NS, outcomes)
        return [Recalled(replayed=False), *outcomes]

    def Report(self, op):
        return decode_result(op.result)

    def add_to_record(self, place, jobs, **changes):
        record = self.audit.get((place.namespace, place.number))
        if record is not None:
            changes["affected"] = record.affected + jobs
            self.audit[place.namespace, place.number] = replace(record, **changes)

    def SetSharedSettings(self, op):
        self.rules = op.rules
        return Upkept(1, more=False)

    # Time

    def tick(self):
        self.ticks += 1
        return self.now + self.ticks

    def due(self, found, before_ns, limit):
        """The names of (time, name) pairs before this time, soonest first; and what to answer."""
        due = sorted(pair for pair in found if pair[0] < before_ns)
        return [name for _, name in due[:limit]], Upkept(min(len(due), limit), len(due) > limit)

    def is_expired(self, job):
        return job.expire_ns is not None and job.expire_ns <= self.now

    # Jobs

    def put(self, job, *events, **changes):
        job = self.jobs[job.id] = replace(job, **changes)
        self.touched.add(job.id)
        self.queue(job.queue)
        for kind in events:
            self.emit(kind, job.id, job.queue)
        return job

    def bear(self, job, payload):
        self.payloads[job.id] = payload
        return self.put(job, EventType.ENQUEUED)

    def bear_here(self, queue, payload, **fields):
        """A job made by the server itself."""
        at_ns = self.tick()
        return self.bear(
            Job(
                self.new_id(),
                queue,
                JobState.PENDING,
                payload=None,
                created_ns=at_ns,
                order_ns=at_ns,
                **fields,
            ),
            payload,
        )

    def new_id(self):
        self.births += 1
        return derived("job", self.now, self.index, self.births)

    def is_parked(self, job):
        return job.state is JobState.PENDING and job.flow is not None and job.flow.unmet > 0

    def ids_in(self, queue, *states, parked=False):
        """Jobs of a queue by state, then by id."""
        return [
            job.id
            for state in states
            for _, job in sorted(self.jobs.items())
            if (job.queue, job.state) == (queue, state) and self.is_parked(job) == parked
        ]

    def waiting_in(self, queue):
        """Jobs that can be handed out, in that order."""
        found = [self.jobs[job_id] for job_id in self.ids_in(queue, JobState.PENDING)]
        return sorted(found, key=lambda job: (job.priority, job.order_ns))

    # Namespaces

    def reached(self, reach, job_id):
        """The job, if whoever asks may know of it."""
        job = self.jobs.get(job_id)
        return job if job is not None and covers(reach, job.queue) else None

    def guarded(self, name):
        """The quotas of a namespace; nothing may come into one that is being deleted."""
        known = self.namespaces.get(name) or Namespace(name, 0)
        if known.deleting:
            raise Conflict("being deleted")
        return known.quotas

    def check_queue(self, queue):
        if queue not in self.queues:
            name = namespace_of(queue)
            most = self.guarded(name).max_queues
            if most is not None and len(self.queues_of(name)) >= most:
                raise QueueQuotaExceeded("queues")

    def check_job(self, queue):
        name = namespace_of(queue)
        most = self.guarded(name).max_jobs
        if most is not None and sum(namespace_of(job.queue) == name for job in self.jobs.values()) >= most:
            raise QuotaExceeded("jobs")

    def queues_of(self, name):
        return sorted(queue for queue in self.queues if namespace_of(queue) == name)

    # Queues and events

    def queue(self, name, **changes):
        known = self.queues.get(name) or Queue(name, self.now)
        known = self.queues[name] = replace(known, **changes)
        return known

    def emit(self, kind, job_id, queue):
        self.events.append((self.index, self.now, kind, job_id, queue))


def _brought_nothing(outcomes):
    """Fetches without a job are as if they had never been."""
    return bool(outcomes) and all(isinstance(each, Fetched) and not any(each.claims) for each in outcomes)
