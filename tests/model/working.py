"""What producers and workers do: enqueue, fetch, and end leases (docs/reference/leases.md)."""

from msgspec.structs import replace

from corvo.core.backoff import delay_ms
from corvo.core.batch import Batch
from corvo.core.errors import (
    AckRefused,
    FailRefused,
    LeaseConflict,
    NotFound,
    ReleaseRefused,
    ValidationFailed,
)
from corvo.core.events import EventType
from corvo.core.job import Commit, Flow, Job, Lease, UniqueUntil, Verb
from corvo.core.namespace import name_of, namespace_of
from corvo.core.states import JobState
from corvo.core.worker import Worker
from corvo.ops.enqueue import NewFlow
from corvo.ops.results import (
    BatchOpened,
    BatchSealed,
    Beaten,
    Enqueued,
    EnqueuedItem,
    EnqueuedMany,
    Fetched,
    Finished,
    Pulse,
)
from tests.model.settling import Settling

MS = 1_000_000
REFUSED = {Verb.ACK: AckRefused, Verb.FAIL: FailRefused, Verb.RELEASE: ReleaseRefused}


class Producing(Settling):
    def Enqueue(self, op):
        return self.take_in(op.job)

    def EnqueueMany(self, op):
        batch_id = op.batch and op.batch.batch_id
        if op.batch is not None:
            self._open(op.batch)
        items = []
        for new in op.jobs:
            flow = replace(new.flow or NewFlow(), batch_id=batch_id) if batch_id else new.flow
            born = self.take_in(replace(new, flow=flow))
            known = self.jobs.get(born.job_id)
            state = JobState.COMPLETED if known is None else known.state
            items.append(EnqueuedItem(born.job_id, new.queue, state, duplicate=born.job is None))
        if batch_id:
            self._seal(batch_id)
        return EnqueuedMany(items, batch_id)

    def take_in(self, new, *, by_client=True):
        if new.unique is not None and (holder := self.holder(new.queue, new.unique.key)):
            return Enqueued(holder, None)
        if by_client:
            self.check_queue(new.queue)
            self.check_job(new.queue)
        at_ns = self.tick()
        later = new.scheduled_ns is not None and new.scheduled_ns > at_ns
        job = Job(
            new.job_id,
            new.queue,
            JobState.SCHEDULED if later else JobState.PENDING,
            new.priority,
            None,
            at_ns,
            at_ns,
            scheduled_ns=new.scheduled_ns if later else None,
            expire_ns=None if new.expire_after_ms is None else at_ns + new.expire_after_ms * MS,
            **{name: getattr(new, name) for name in _AS_ASKED},
        )
        if (flow := new.flow) is not None:
            if new.job_id in flow.depends_on:
                raise ValidationFailed("itself")
            unmet = self.wait(
                job, flow.depends_on, flow.on_dependency_failure, allow_missing=flow.allow_missing
            )
            if flow.batch_id is not None:
                self._join(flow.batch_id, job)
            places = [] if flow.chain is None else [step.queue for step in flow.chain.every_step()]
            if any(namespace_of(place) != namespace_of(job.queue) for place in places):
                raise ValidationFailed("chain")
            job.flow = Flow(
                batch_id=flow.batch_id,
                chain_id=flow.chain_id,
                chain=flow.chain,
                depends_on=flow.depends_on,
                unmet=unmet,
                on_dependency_failure=flow.on_dependency_failure,
            )
        job = self.bear(job, new.payload)
        if job.unique is not None:
            self.lock(job)
        return Enqueued(job.id, job)

    # Batches

    def OpenBatch(self, op):
        self.guarded(op.namespace)
        self._open(op)
        self.batches[op.batch_id] = replace(self.batches[op.batch_id], idle_ns=self.now)
        return BatchOpened(op.batch_id)

    def _open(self, new):
        if new.callback_queue is not None and namespace_of(new.callback_queue) != new.namespace:
            raise ValidationFailed("callback_queue")
        self.batches[new.batch_id] = Batch(
            new.batch_id,
            self.now,
            new.callback_queue,
            new.callback_payload,
            sealed=False,
            namespace=new.namespace,
        )

    def _batch(self, batch_id, namespace):
        batch = self.batches.get(batch_id)
        return batch if batch is not None and batch.namespace == namespace else None

    def _join(self, batch_id, job):
        batch = self._batch(batch_id, namespace_of(job.queue))
        if batch is None or batch.sealed:
            raise ValidationFailed("nothing to join")
        self.batches[batch_id] = replace(
            batch, total=batch.total + 1, pending=batch.pending + 1, idle_ns=None
        )

    def SealBatch(self, op):
        if self._batch(op.batch_id, op.namespace) is None:
            raise NotFound("batch")
        callback = self._seal(op.batch_id)
        return BatchSealed(self.batches[op.batch_id], callback)

    def _seal(self, batch_id):
        self.batches[batch_id] = replace(self.batches[batch_id], sealed=True, idle_ns=None)
        return self.close_if_done(batch_id)


_AS_ASKED = (
    "max_retries",
    "backoff",
    "retry_base_ms",
    "retry_max_ms",
    "retry_jitter",
    "unique",
    "tags",
    "checkpoint",
    "expire_after_ms",
    "parent_id",
    "group",
)


class Working(Producing):
    # Claims

    def Fetch(self, op):
        return Fetched([self._serve(claim) for claim in op.claims])

    def again(self, outcome):
        """What a repeated request gets: the same, but of jobs only those that are still in its hands."""
        if not isinstance(outcome, Fetched):
            return outcome
        return Fetched([[was for was in jobs if self._is_held(was)] for jobs in outcome.claims])

    def _is_held(self, was):
        job = self.jobs.get(was.id)
        return job is not None and job.lease is not None and job.lease.token == was.lease.token

    def _serve(self, claim):
        taken = []
        while len(taken) < claim.count:
            heads = [self.waiting_in(name)[0] for name in claim.queues if self.can_hand_out(name)]
            if not heads:
                break
            job = min(heads, key=lambda job: (job.priority, job.order_ns))
            if self.is_expired(job):
                self.expire(job)
            else:
                taken.append(self._claim(job, claim))
        if taken:
            self._see(claim.worker_id, claim.hostname, claim.queues)
        return taken

    def can_hand_out(self, name):
        queue = self.queues.get(name)
        if queue is None or queue.paused or not self.waiting_in(name):
            return False
        active = len(self.ids_in(name, JobState.ACTIVE))
        if queue.max_concurrency is not None and active >= queue.max_concurrency:
            return False
        return queue.rate_limit is None or len(self._recent_claims(queue)) < queue.rate_limit

    def _recent_claims(self, queue):
        start_ns = self.now - queue.rate_window_ms * MS
        return [at_ns for at_ns in self.claims.get(queue.name, ()) if at_ns > start_ns]

    def _claim(self, job, claim):
        self.tokens += 1
        lease = Lease(
            (self.index << 20) | self.tokens,
            self.now + claim.lease_ms * MS,
            claim.lease_ms,
            claim.worker_id,
            claim.hostname,
        )
        self.given[lease.token] = job.id
        queue = self.queues[job.queue]
        if queue.rate_limit is not None:
            self.claims[queue.name] = [*self._recent_claims(queue), self.now]
        self.unlock(job, UniqueUntil.START)
        return self.put(
            job,
            EventType.STARTED,
            state=JobState.ACTIVE,
            attempt=job.attempt + 1,
            lease_version=job.lease_version + 1,
            lease=lease,
            commit=None,
            started_ns=self.now,
        )

    def _see(self, worker_id, hostname="", queues=()):
        if not name_of(worker_id):
            return
        was = self.workers.get(worker_id) or Worker(worker_id, hostname, queues, self.now, 0)
        now = Worker(worker_id, hostname or was.hostname, queues or was.queues, was.started_ns, self.now)
        if was.last_seen_ns <= self.now - 10_000 * MS or replace(now, last_seen_ns=was.last_seen_ns) != was:
            self.workers[worker_id] = now

    # Leases

    def _held(self, op, verb):
        """The job; or the answer, if it was given before."""
        job = self.reached(op.reach, op.job_id)
        if job is None:
            raise NotFound("job")
        if job.state is JobState.ACTIVE:
            if op.token not in (None, job.lease.token):
                raise LeaseConflict("claimed again")
            return job, None
        same = job.commit is not None and (job.commit.token, job.commit.verb) == (op.token, verb)
        if same or (op.token is None and verb is Verb.ACK and job.state is JobState.COMPLETED):
            return job, self._finished(job, duplicate=True)
        raise (REFUSED[verb] if op.token is None else LeaseConflict)("over")

    def _commit(self, job, verb, state, next_ns=None):
        return {
            "lease": None,
            "lease_losses": 0,
            "state": state,
            "commit": Commit(job.lease.token, verb, state, job.attempt, next_ns),
        }

    def _finished(self, job, *, duplicate=False):
        commit = job.commit
        return Finished(commit.state, commit.attempt, commit.next_attempt_ns, duplicate)

    def Ack(self, op):
        job, answer = self._held(op, Verb.ACK)
        if answer is not None:
            return answer
        brought = {"checkpoint": op.checkpoint or job.checkpoint, "result": op.result or job.result}
        if op.hold:
            changes = self._commit(job, Verb.ACK, JobState.HELD) | brought
            return self._finished(self.put(job, EventType.HELD, hold_reason=op.hold_reason, **changes))
        changes = self._commit(job, Verb.ACK, JobState.COMPLETED) | brought | {"completed_ns": self.now}
        state = changes.pop("state")
        return self._finished(
            self.end(
                job,
                state,
                EventType.COMPLETED,
                forwarded=op.result,
                leave=op.leave_chain,
                reason=op.exit_reason,
                **changes,
            )
        )

    def Fail(self, op):
        job, answer = self._held(op, Verb.FAIL)
        if answer is not None:
            return answer
        job = replace(job, failed_ns=self.now, error_count=job.error_count + 1)
        if not op.retry or job.attempt >= job.max_retries or self.is_expired(job):
            changes = self._commit(job, Verb.FAIL, JobState.DEAD)
            expired = [EventType.EXPIRED] if self.is_expired(job) else []
            state = changes.pop("state")
            return self._finished(self.end(job, state, EventType.FAILED, *expired, EventType.DEAD, **changes))
        wait_ms = op.retry_after_ms
        if wait_ms is None:
            jitter = op.jitter * job.retry_jitter
            wait_ms = delay_ms(job.backoff, job.attempt, job.retry_base_ms, job.retry_max_ms, jitter)
        due_ns = self.now + wait_ms * MS
        changes = self._commit(job, Verb.FAIL, JobState.RETRYING, due_ns)
        job = self.put(job, EventType.FAILED, scheduled_ns=due_ns, **changes)
        if not wait_ms:
            job = self.promote(job)
        return self._finished(job)

    def promote(self, job):
        return self.put(job, EventType.PROMOTED, state=JobState.PENDING, scheduled_ns=None)

    def Release(self, op):
        job, answer = self._held(op, Verb.RELEASE)
        if answer is not None:
            return answer
        due_ns = self.now + op.delay_ms * MS if op.delay_ms else None
        state = JobState.SCHEDULED if op.delay_ms else JobState.PENDING
        changes = self._commit(job, Verb.RELEASE, state, due_ns)
        changes |= {"attempt": job.attempt - 1, "scheduled_ns": due_ns}
        checkpoint = op.checkpoint or job.checkpoint
        return self._finished(self.put(job, EventType.RELEASED, checkpoint=checkpoint, **changes))

    def Heartbeat(self, op):
        return Beaten([self._beat(beat, op.reach) for beat in op.beats])

    def _beat(self, beat, reach):
        job = self.reached(reach, beat.job_id)
        if job is None or job.state is not JobState.ACTIVE:
            return Pulse(beat.job_id, None, job.state.label if job else "not_found")
        if beat.token not in (None, job.lease.token):
            return Pulse(beat.job_id, None, "lease_lost")
        expires_ns = self.now + job.lease.length_ms * MS
        self.put(
            job,
            *([EventType.PROGRESS] if beat.progress else []),
            lease=replace(job.lease, expires_ns=expires_ns),
            progress=beat.progress or job.progress,
            checkpoint=beat.checkpoint or job.checkpoint,
        )
        self._see(job.lease.worker_id, job.lease.hostname)
        return Pulse(beat.job_id, expires_ns)
