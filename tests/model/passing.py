"""What time brings: jobs become due, expire and are purged; what is too old is forgotten."""

from corvo.core.events import EventType
from corvo.core.namespace import name_of, qualified
from corvo.core.states import JobState as S
from corvo.ops.results import Upkept
from tests.model.acting import Bulk
from tests.model.book import ENDED


class Passing(Bulk):
    def Promote(self, op):
        return self._each(
            "scheduled_ns", {S.SCHEDULED, S.RETRYING}, self.now + 1, op, self._promote_or_expire
        )

    def _promote_or_expire(self, job):
        self.expire(job) if self.is_expired(job) else self.promote(job)

    def Expire(self, op):
        return self._each(
            "expire_ns", {S.PENDING, S.SCHEDULED, S.RETRYING, S.HELD}, self.now + 1, op, self.expire
        )

    def _each(self, column, states, before_ns, op, act):
        found = [
            (at_ns, job.id)
            for job in self.jobs.values()
            if job.state in states and (at_ns := getattr(job, column)) is not None
        ]
        job_ids, answer = self.due(found, before_ns, op.limit)
        for job_id in job_ids:
            act(self.jobs[job_id])
        return answer

    def Reclaim(self, op):
        found = [(job.lease.expires_ns, job.id) for job in self.jobs.values() if job.lease]
        job_ids, answer = self.due(found, self.now + 1, op.limit)
        for job_id in job_ids:
            job = self.jobs[job_id]
            lost = self.put(
                job, EventType.RECLAIMED, state=S.PENDING, lease=None, lease_losses=job.lease_losses + 1
            )
            if op.losses_max and lost.lease_losses >= op.losses_max:
                self.kill(lost)
            elif self.is_expired(lost):
                self.expire(lost)
        return answer

    def Purge(self, op):
        columns = {S.COMPLETED: "completed_ns", S.DEAD: "failed_ns", S.CANCELLED: "cancelled_ns"}
        found = [
            (getattr(job, columns[job.state]), job.id) for job in self.jobs.values() if job.state in ENDED
        ]
        job_ids, answer = self.due(found, op.ended_before_ns, op.limit)
        for job_id in job_ids:
            self.remove(self.jobs[job_id])
        return answer

    def PurgeBatches(self, op):
        over = [batch for batch in self.batches.values() if not batch.pending]
        found = [(batch.over_ns, qualified(batch.namespace, batch.id)) for batch in over]
        names, answer = self.due(found, op.ended_before_ns, op.limit)
        for name in names:
            del self.batches[name_of(name)]
        return answer

    def CleanUnique(self, op):
        found = [(lock[1], place) for place, lock in self.locks.items()]
        return self._forget(self.locks, found, self.now + 1, op)

    def CleanIdempotency(self, op):
        found = [(answer[1], key) for key, answer in self.answers.items()]
        return self._forget(self.answers, found, self.now + 1, op)

    def _forget(self, things, found, before_ns, op):
        names, answer = self.due(found, before_ns, op.limit)
        for name in names:
            del things[name]
        return answer

    def TrimWorkers(self, op):
        silent = sorted(
            worker.id for worker in self.workers.values() if worker.last_seen_ns < op.seen_before_ns
        )
        for worker_id in silent[: op.limit]:
            del self.workers[worker_id]
        return Upkept(min(len(silent), op.limit), len(silent) > op.limit)

    def TrimEvents(self, op):
        """Whole records, oldest first. Those of this very entry are not written yet."""
        before = [index for index in sorted(self.records) if index < self.index]
        last_seq = sum(1 for event in self.events if event[0] < self.index)
        count = 0
        for index in before:
            at_ns, first_seq = self.records[index]
            if last_seq - first_seq + 1 <= op.keep and at_ns >= op.at_before_ns:
                break
            if count == op.limit:
                return Upkept(count, more=True)
            del self.records[index]
            count += 1
        return Upkept(count, more=False)

    def Resolve(self, op):
        told = 0
        found = sorted(self.news, key=lambda news: news[:2])
        for at_ns, job_id, reason, after in found[: op.limit]:
            count, last = self.tell(job_id, reason, after, op.limit - told)
            told += count
            self.news = [news for news in self.news if news[:2] != (at_ns, job_id)]
            if last is not None:
                self.news.append((at_ns, job_id, reason, last))
            if last is not None or told >= op.limit:
                return Upkept(told, more=True)
        return Upkept(told, more=len(found) > op.limit)
