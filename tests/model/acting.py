"""What people do: to jobs (the table of docs/reference/jobs.md), to queues, and to many jobs at once."""

from msgspec.structs import replace

from corvo.core import errors
from corvo.core.bulk import STEP_JOBS_MAX, BulkFailure, BulkStatus, BulkTask
from corvo.core.errors import BulkRefused, CorvoError, NotFound, ValidationFailed
from corvo.core.events import EventType
from corvo.core.namespace import DEFAULT, Namespace, includes, namespace_of
from corvo.core.sealing.form import Field, digest_of
from corvo.core.states import JobState as S
from corvo.ops.job_admin import Action, ActMany
from corvo.ops.queue_admin import DeleteQueue
from corvo.ops.results import (
    Acted,
    ActedMany,
    ActFailure,
    BulkChanged,
    NamespaceChanged,
    QueueChanged,
    Upkept,
)
from tests.model.settling import TOLD_MAX
from tests.model.working import MS, Working

#: Bulk tasks that have not ended; the state machine under test is told to keep to it, too.
TASKS_MAX = 3
LIVING = {S.PENDING, S.ACTIVE, S.SCHEDULED, S.RETRYING}
#: From which states, and how it is refused otherwise.
ALLOWED = {
    Action.RETRY: ({S.DEAD, S.CANCELLED, S.COMPLETED, S.SCHEDULED}, errors.RetryRefused),
    Action.REQUEUE: ({S.DEAD}, errors.RetryRefused),
    Action.CANCEL: (LIVING | {S.HELD}, errors.CancelRefused),
    Action.HOLD: (LIVING, errors.HoldRefused),
    Action.APPROVE: ({S.HELD}, errors.ApproveRefused),
    Action.REJECT: ({S.HELD}, errors.RejectRefused),
    Action.MOVE: (set(S) - {S.ACTIVE}, errors.MoveRefused),
    Action.CHANGE_PRIORITY: ({S.PENDING, S.SCHEDULED, S.RETRYING, S.HELD}, errors.PriorityRefused),
    Action.DELETE: (set(S), errors.CancelRefused),
    Action.DELETE_NAMESPACE: (set(), errors.CancelRefused),
    Action.RESEAL: (set(S), errors.BulkRefused),
}


class Acting(Working):
    # Jobs

    def Act(self, op):
        was = self._act(op, op.job_id)
        now = self.jobs.get(op.job_id)
        return Acted(was.state, now and now.state)

    def ActMany(self, op):
        failures = []
        budget = TOLD_MAX
        for job_id in op.job_ids:
            before = self._copied()
            try:
                self._act(op, job_id)
            except CorvoError as error:
                vars(self).update(before)
                failures.append(ActFailure(job_id, error.code, ""))
            else:
                budget = self.tell_all(budget)
        return ActedMany(len(op.job_ids) - len(failures), failures, len(failures))

    def _act(self, op, job_id):
        job = self.reached(op.reach, job_id)
        if job is None:
            raise NotFound("job")
        states, refusal = ALLOWED[op.action]
        if job.state not in states:
            raise refusal("not from here")
        getattr(self, f"_{op.action.name.lower()}")(job, op)
        return job

    def _retry(self, job, op):
        self._put_back(job, EventType.RETRIED, attempt=0, completed_ns=None, result=None)

    def _requeue(self, job, op):
        self._put_back(job, EventType.REQUEUED)

    def _put_back(self, job, event, **changes):
        self.tell_the_rest(job.id)
        order_ns, flow, lives_again = self.tick(), job.flow, job.state is not S.SCHEDULED
        if flow is not None and lives_again:
            flow = self.reopen(flow)
            try:
                unmet = self.wait(job, flow.depends_on, flow.on_dependency_failure, allow_missing=True)
            except ValidationFailed:
                raise errors.RetryRefused("hopeless") from None
            flow = replace(flow, unmet=unmet)
        if job.unique is not None and lives_again:
            if self.holder(job.queue, job.unique.key) not in (None, job.id):
                raise errors.RetryRefused("not unique any more")
            if not self.holder(job.queue, job.unique.key):
                self.lock(job)
        if self.is_expired(job):
            changes["expire_ns"] = self.now + job.expire_after_ms * MS
        blank = ("scheduled_ns", "failed_ns", "cancelled_ns", "hold_reason")
        changes |= dict.fromkeys(blank) | {"lease_losses": 0, "flow": flow, "order_ns": order_ns}
        self.put(job, event, state=S.PENDING, **changes)

    def _cancel(self, job, op):
        self.end(job, S.CANCELLED, EventType.CANCELLED, cancelled_ns=self.now, failed_ns=self.now)

    def _hold(self, job, op):
        self.put(job, EventType.HELD, state=S.HELD, lease=None, scheduled_ns=None, hold_reason=op.reason)

    def _approve(self, job, op):
        if self.is_expired(job):
            self.expire(job)
        else:
            self.put(job, EventType.APPROVED, state=S.PENDING, hold_reason=None)

    def _reject(self, job, op):
        self.kill(job, EventType.REJECTED)

    def _move(self, job, op):
        if namespace_of(op.queue) != namespace_of(job.queue):
            raise errors.MoveRefused("another namespace")
        self.check_queue(op.queue)
        order_ns = self.tick()
        if op.queue != job.queue and self.has_lock(job) and self.holder(job.queue, job.unique.key):
            if self.holder(op.queue, job.unique.key):
                raise errors.MoveRefused("not unique there")
            self.locks[op.queue, job.unique.key] = self.locks.pop((job.queue, job.unique.key))
        self.put(job, EventType.MOVED, queue=op.queue, order_ns=order_ns)

    def _change_priority(self, job, op):
        self.put(job, EventType.PRIORITY_CHANGED, priority=op.priority, order_ns=self.tick())

    def _delete(self, job, op):
        self.remove(job)
        self.emit(EventType.DELETED, job.id, job.queue)

    def _reseal(self, job, op):
        """Ops of its own have done it."""

    def Reseal(self, op):
        there = [resealed for resealed in op.jobs if resealed.job_id in self.jobs]
        for resealed in there:
            job, payload = self.jobs[resealed.job_id], self.payloads[resealed.job_id]
            changes = {}
            for field, (digest, value) in resealed.values.items():
                if field is Field.PAYLOAD:
                    if isinstance(payload, bytes) and digest_of(payload) == digest:
                        self.payloads[job.id] = value
                elif digest_of(getattr(job, field.name.lower()) or b"") == digest:
                    changes[field.name.lower()] = value
            self.put(job, **changes)
        return Upkept(len(there), more=False)

    # Queues

    def PauseQueue(self, op):
        return self._set(
            op, EventType.QUEUE_PAUSED if op.paused else EventType.QUEUE_RESUMED, paused=op.paused
        )

    def LimitQueue(self, op):
        return self._set(op, EventType.QUEUE_LIMITED, max_concurrency=op.max_concurrency)

    def ThrottleQueue(self, op):
        if op.rate is None and (op.queue in self.queues or not op.existing):
            self.claims.pop(op.queue, None)
        return self._set(op, EventType.QUEUE_LIMITED, rate_limit=op.rate, rate_window_ms=op.window_ms)

    def _set(self, op, event, **changes):
        if op.existing and op.queue not in self.queues:
            raise NotFound("queue")
        self.check_queue(op.queue)
        queue = self.queue(op.queue, **changes)
        self.emit(event, None, op.queue)
        return QueueChanged(queue)

    def ClearQueue(self, op):
        answer = self._empty(op, S.SCHEDULED)
        self.emit(EventType.QUEUE_CLEARED, None, op.queue)
        return answer

    def DeleteQueue(self, op):
        answer = self._empty(op, *S)
        if answer.more or any(job.queue == op.queue for job in self.jobs.values()):
            return replace(answer, more=True)
        locks = sorted(place for place in self.locks if place[0] == op.queue)
        for place in locks[: op.limit]:
            del self.locks[place]
        if len(locks) > op.limit:
            return replace(answer, more=True)
        del self.queues[op.queue]
        self.claims.pop(op.queue, None)
        self.emit(EventType.QUEUE_DELETED, None, op.queue)
        return answer

    def _empty(self, op, *states):
        if op.queue not in self.queues:
            raise NotFound("queue")
        found = [job.id for job in self.waiting_in(op.queue)]
        found += self.ids_in(op.queue, S.PENDING, parked=True)
        found += self.ids_in(op.queue, *(state for state in states if state is not S.PENDING))
        for job_id in found[: op.limit]:
            self.remove(self.jobs[job_id])
        return Upkept(min(len(found), op.limit), len(found) > op.limit)


class Bulk(Acting):
    def CreateBulk(self, op):
        self._check_tasks()
        fields = ("action", "queue", "priority", "reason", "rate", "reach", "by")
        asked = {name: getattr(op, name) for name in fields}
        task = BulkTask(
            op.task_id,
            created_ns=self.now,
            updated_ns=self.now,
            filter=op.filter,
            expected=op.expected,
            **asked,
        )
        return self._keep(task)

    def _check_tasks(self):
        if sum(task.finished_ns is None for task in self.tasks.values()) >= TASKS_MAX:
            raise BulkRefused("too many")

    def AddBulkIds(self, op):
        task = self._task(op)
        if task.status is not BulkStatus.QUEUED:
            raise BulkRefused("too late")
        if op.chunk != task.chunks:
            return BulkChanged(task)
        self.steps[task.id, op.chunk] = op.job_ids
        total = task.total + len(op.job_ids)
        return self._keep(task, chunks=task.chunks + 1, total=total, cursor=op.cursor)

    def StartBulk(self, op):
        task = self._task(op)
        if task.status is not BulkStatus.QUEUED or op.chunks != task.chunks:
            return BulkChanged(task)
        return (
            self._keep(task, status=BulkStatus.RUNNING)
            if task.chunks
            else self._over(task, BulkStatus.COMPLETED)
        )

    def RunBulk(self, op):
        task = self._task(op)
        if task.status is not BulkStatus.RUNNING or op.chunk != task.next_chunk:
            return BulkChanged(task)
        if task.namespace is not None:
            return self._empty_namespace(task)
        job_ids = self.steps.pop((task.id, op.chunk))
        acted = self.ActMany(
            ActMany(Action(task.action), job_ids, task.queue, task.priority, task.reason, task.reach)
        )
        task = replace(
            task,
            next_chunk=op.chunk + 1,
            processed=task.processed + len(job_ids),
            affected=task.affected + acted.affected,
            skipped=task.skipped + acted.skipped,
            failures=(*task.failures, *(BulkFailure(f.job_id, f.code, "") for f in acted.failures))[:100],
        )
        return self._over(task, BulkStatus.COMPLETED) if task.next_chunk == task.chunks else self._keep(task)

    def CancelBulk(self, op):
        task = self._task(op)
        if not includes(op.reach, task.reach):
            raise NotFound("task")
        if task.finished_ns is not None:
            raise BulkRefused("over")
        if task.namespace is not None:
            self.namespaces[task.namespace] = replace(self.namespaces[task.namespace], deleting=None)
        self.steps = {step: ids for step, ids in self.steps.items() if step[0] != task.id}
        return self._over(task, BulkStatus.FAILED if op.error else BulkStatus.CANCELLED, error=op.error)

    # Namespaces

    def SetNamespace(self, op):
        known = self.namespaces.get(op.name)
        if op.is_new and (known or op.name == DEFAULT):
            raise errors.Conflict("known")
        if not (op.is_new or known or op.name == DEFAULT or self.queues_of(op.name)):
            raise NotFound("namespace")
        known = known or Namespace(op.name, self.now)
        self.namespaces[op.name] = replace(known, quotas=op.quotas)
        return NamespaceChanged(self.namespaces[op.name])

    def DeleteNamespace(self, op):
        if op.name == DEFAULT:
            raise ValidationFailed("default")
        known = self.namespaces.get(op.name)
        found = [each for names in self._names_in(op.name) for each in names]
        if known is None and not found:
            raise NotFound("namespace")
        if known is not None and known.deleting:
            raise errors.Conflict("under way")
        known = known or Namespace(op.name, self.now)
        if not found:
            self.namespaces.pop(op.name)
            return NamespaceChanged(known)
        if op.task_id is None:
            raise errors.Conflict("not empty")
        self._check_tasks()
        jobs = sum(namespace_of(job.queue) == op.name for job in self.jobs.values())
        blank = dict.fromkeys(("queue", "priority", "reason", "rate"))
        task = BulkTask(
            op.task_id,
            Action.DELETE_NAMESPACE,
            created_ns=self.now,
            updated_ns=self.now,
            status=BulkStatus.RUNNING,
            total=jobs,
            expected=jobs,
            reach=op.reach,
            namespace=op.name,
            **blank,
        )
        self.namespaces[op.name] = replace(known, deleting=task.id)
        return self._keep(task)

    def _names_in(self, name):
        """Queues, schedules, webhooks and batches."""
        return (
            self.queues_of(name),
            [each.id for each in self.schedules.values() if namespace_of(each.plan.name) == name],
            [each for each in self.webhooks if namespace_of(each) == name],
            [each.id for each in self.batches.values() if each.namespace == name],
        )

    def _empty_namespace(self, task):
        name, jobs = task.namespace, 0
        for number, queue in enumerate(self.queues_of(name)):
            jobs += self.DeleteQueue(DeleteQueue(queue, STEP_JOBS_MAX - jobs - number)).count
        done = task.processed + jobs
        task = replace(
            task,
            next_chunk=task.next_chunk + 1,
            processed=done,
            affected=done,
            total=max(task.total, done),
        )
        if self.queues_of(name):
            return self._keep(task)
        _, schedules, webhooks, batches = self._names_in(name)
        for known, gone in ((self.schedules, schedules), (self.webhooks, webhooks), (self.batches, batches)):
            for each in gone:
                del known[each]
        self.workers = {each: worker for each, worker in self.workers.items() if namespace_of(each) != name}
        del self.namespaces[name]
        return self._over(task, BulkStatus.COMPLETED)

    def PurgeBulk(self, op):
        ended = [(task.finished_ns, task.id) for task in self.tasks.values() if task.finished_ns]
        names, answer = self.due(ended, op.ended_before_ns, op.limit)
        for task_id in names:
            del self.tasks[task_id]
        return answer

    def _task(self, op):
        if op.task_id not in self.tasks:
            raise NotFound("task")
        return self.tasks[op.task_id]

    def _keep(self, task, **changes):
        task = self.tasks[task.id] = replace(task, updated_ns=self.now, **changes)
        return BulkChanged(task)

    def _over(self, task, status, **changes):
        if task.record is not None:
            self.add_to_record(task.record, task.affected)
        return self._keep(task, status=status, finished_ns=self.now, **changes)
