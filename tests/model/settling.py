"""What hangs on the end of a job: its lock, its batch, its chain, and the jobs that wait for it."""

import json

from msgspec.structs import replace

from corvo.core.errors import ValidationFailed
from corvo.core.events import EventType
from corvo.core.job import BatchOutcome, DependencyFailure, Flow, UniqueUntil
from corvo.core.namespace import DEFAULT, Reach, namespace_of, qualified
from corvo.core.priority import Priority
from corvo.core.states import JobState
from tests.model.book import ENDED, Book

#: Dependents one op tells; the state machine under test is told to keep to it, too.
TOLD_MAX = 1


class Settling(Book):
    # Ends

    def end(self, job, state, *events, forwarded=None, leave=False, reason=None, **changes):
        flow = job.flow
        if flow is not None and flow.batch_id and flow.batch_outcome is BatchOutcome.OPEN:
            good = state is JobState.COMPLETED
            flow = replace(flow, batch_outcome=BatchOutcome.SUCCEEDED if good else BatchOutcome.FAILED)
        cleared = {"lease": None, "scheduled_ns": None, "hold_reason": None, "flow": flow}
        ended = self.put(job, *events, state=state, **(cleared | changes))
        self._let_go(job, good=state is JobState.COMPLETED)
        self._next_in_chain(ended, forwarded, leave, reason)
        self.ended.append((job.id, None if state is JobState.COMPLETED else state.label))
        return ended

    def kill(self, job, *events):
        errors = job.error_count + 1
        return self.end(job, JobState.DEAD, *events, EventType.DEAD, failed_ns=self.now, error_count=errors)

    def expire(self, job):
        return self.kill(job, EventType.EXPIRED)

    def remove(self, job):
        del self.jobs[job.id], self.payloads[job.id]
        self.touched.add(job.id)
        if job.state not in ENDED:
            self._let_go(job, good=False)
        if job.state is not JobState.COMPLETED:
            self.ended.append((job.id, "gone"))

    def _let_go(self, job, *, good):
        self.unlock(job, UniqueUntil.SUCCESS, UniqueUntil.START)
        self.waits -= {pair for pair in self.waits if pair[1] == job.id}
        if job.flow is not None and job.flow.batch_outcome is BatchOutcome.OPEN:
            self._count(job.flow.batch_id, good)

    # Locks

    def holder(self, queue, key):
        job_id, expires_ns, _ = self.locks.get((queue, key), (None, 0, None))
        return job_id if expires_ns > self.now else None

    def lock(self, job):
        self.locks[job.queue, job.unique.key] = (
            job.id,
            self.now + job.unique.period_s * 1_000_000_000,
            job.unique.until,
        )

    def has_lock(self, job):
        return job.unique is not None and self.locks.get((job.queue, job.unique.key), ("",))[0] == job.id

    def unlock(self, job, *modes):
        if self.has_lock(job) and job.unique.until in modes:
            del self.locks[job.queue, job.unique.key]

    # Batches

    def _count(self, batch_id, good):
        batch = self.batches.get(batch_id)
        if batch is not None:
            self.batches[batch_id] = replace(
                batch,
                pending=batch.pending - 1,
                succeeded=batch.succeeded + good,
                failed=batch.failed + (not good),
                idle_ns=self.now if batch.pending == 1 and not batch.sealed else None,
            )
            self.close_if_done(batch_id)

    def close_if_done(self, batch_id):
        """The callback, if the batch is done by now and was not before."""
        batch = self.batches[batch_id]
        if not batch.sealed or batch.pending or batch.ended_ns is not None:
            return None
        callback = None
        if batch.callback_queue is not None:
            counts = {
                "id": batch.id,
                "total": batch.total,
                "succeeded": batch.succeeded,
                "failed": batch.failed,
            }
            payload = {**_members(batch.callback_payload), "batch": counts}
            callback = self.bear_here(batch.callback_queue, payload, priority=Priority.NORMAL)
        self.batches[batch_id] = replace(batch, ended_ns=self.now, callback_job_id=callback and callback.id)
        nowhere = None if batch.namespace == DEFAULT else qualified(batch.namespace, "")
        self.emit(EventType.BATCH_COMPLETED, None, batch.callback_queue or nowhere)
        return callback

    def reopen(self, flow):
        """A job that was counted goes on; its batch waits for it again, if its callback is not out."""
        batch = self.batches.get(flow.batch_id)
        if batch is None or batch.callback_job_id or flow.batch_outcome is BatchOutcome.OPEN:
            return flow
        good = flow.batch_outcome is BatchOutcome.SUCCEEDED
        self.batches[batch.id] = replace(
            batch,
            pending=batch.pending + 1,
            succeeded=batch.succeeded - good,
            failed=batch.failed - (not good),
            ended_ns=None,
            idle_ns=None,
        )
        return replace(flow, batch_outcome=BatchOutcome.OPEN)

    # Chains

    def _next_in_chain(self, job, result, leave, reason):
        flow = job.flow
        if flow is None or flow.chain is None or flow.chain_step < 0:
            return
        if job.state is JobState.COMPLETED:
            given = {"previous_job_id": job.id}
            given |= {} if result is None else {"previous_result": json.loads(result)}
            given |= {} if reason is None else {"exit_reason": reason}
            number = flow.chain_step + 1
            if leave or number == len(flow.chain.steps):
                self._step(job, flow.chain.on_exit, -1, given)
            else:
                self._step(job, flow.chain.steps[number], number, given)
        elif job.state is JobState.DEAD:
            given = {"failed_job_id": job.id, "failed_step": flow.chain_step, "error": ...}
            self._step(job, flow.chain.on_failure, -2, given)

    def _step(self, before, step, number, given):
        if step is not None:
            alike = (
                "priority",
                "max_retries",
                "backoff",
                "retry_base_ms",
                "retry_max_ms",
                "retry_jitter",
                "tags",
            )
            flow = Flow(chain_id=before.flow.chain_id, chain_step=number, chain=before.flow.chain)
            self.bear_here(
                step.queue,
                given | _members(step.payload),
                flow=flow,
                **{name: getattr(before, name) for name in alike},
            )

    # Dependencies

    def wait(self, job, depends_on, mode, *, allow_missing):
        """How many of these the job has to wait for."""
        unmet, own = set(), Reach(namespace_of(job.queue))
        for other_id in depends_on:
            other = self.reached(own, other_id)
            if other is None and not allow_missing:
                raise ValidationFailed("unknown")
            if other is None or other.state is JobState.COMPLETED:
                continue
            if other.state not in ENDED or mode is DependencyFailure.WAIT:
                unmet.add((other_id, job.id))
            elif mode is DependencyFailure.FAIL:
                raise ValidationFailed("hopeless")
        self.waits |= unmet
        return len(unmet)

    def tell_all(self, budget=TOLD_MAX):
        """The dependents of every job that ended in the op, and of those that end by that."""
        for job_id, reason in self.ended:
            told, last = self.tell(job_id, reason, "", budget)
            budget -= told
            if last is not None:
                self.news = [news for news in self.news if news[:2] != (self.now, job_id)]
                self.news.append((self.now, job_id, reason, last))
        self.ended = []
        return budget

    def tell_the_rest(self, job_id):
        """Whoever has not heard yet of its end."""
        for news in sorted(self.news):
            if news[1] == job_id:
                self.tell(*news[1:], limit=len(self.jobs))
        self.news = [news for news in self.news if news[1] != job_id]

    def tell(self, job_id, reason, after, limit):
        """How many were told, and the last of them if there are more."""
        found = sorted(who for what, who in self.waits if what == job_id and who > after)
        for who in found[:limit]:
            self._hear(self.jobs[who], job_id, reason)
        if len(found) <= limit:
            return len(found), None
        return limit, found[limit - 1] if limit else after

    def _hear(self, job, dependency, reason):
        mode = job.flow.on_dependency_failure
        if reason is not None and mode is DependencyFailure.WAIT and dependency in self.jobs:
            return
        if reason is not None and mode is not DependencyFailure.IGNORE:
            self.kill(job)
            return
        self.waits.remove((dependency, job.id))
        job = self.put(job, flow=replace(job.flow, unmet=job.flow.unmet - 1))
        if not job.flow.unmet:
            self.emit(EventType.RELEASED_BY_DEPENDENCY, job.id, job.queue)


def _members(raw):
    value = {} if raw is None else json.loads(raw)
    return value if isinstance(value, dict) else {"payload": value}
