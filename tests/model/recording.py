"""What goes on record: who asked for what, and what the ops before it came to."""

from msgspec.structs import asdict, replace

from corvo.core.access.audit import AuditBounds, AuditPlace, AuditRecord
from corvo.core.errors import CorvoError
from corvo.ops.results import (
    Acted,
    ActedMany,
    BulkChanged,
    Enqueued,
    Recalled,
    Recorded,
    ScheduleFired,
    Upkept,
)
from tests.model.logging_in import LoggingIn

#: How many jobs an op has changed, by its answer.
JOBS = {
    Acted: lambda answer: 1,
    ActedMany: lambda answer: answer.affected,
    Upkept: lambda answer: answer.count,
    ScheduleFired: lambda answer: answer.fired,
    Enqueued: lambda answer: int(answer.job is not None),
}


class Recording(LoggingIn):
    def WriteAudit(self, op):
        before = self._before(op)
        if self._is_repetition(before):
            return Recorded(None)
        status, code = self._came_to(op, before)
        first, last = self.audit_numbers.get(op.namespace, (1, 0))
        self.audit_numbers[op.namespace] = (first, last + 1)
        place = AuditPlace(op.namespace, last + 1)
        said = {name: value for name, value in asdict(op).items() if name not in ("namespace", "count")}
        said |= {"status": status, "code": code}
        self.audit[op.namespace, last + 1] = AuditRecord(
            at_ns=self.tick(), place=place, affected=_jobs(before), **said
        )
        for answer in before:
            task = self.tasks.get(answer.task.id) if isinstance(answer, BulkChanged) else None
            if task and (task.created_ns, task.finished_ns, task.record) == (self.now, None, None):
                self.tasks[task.id] = replace(task, record=place)
        return Recorded(place)

    def ExtendAudit(self, op):
        before = self._before(op)
        if not self._is_repetition(before):
            status, code = self._came_to(op, before)
            self.add_to_record(op.place, _jobs(before), status=status, code=code)
        return Recorded(op.place)

    def TrimAudit(self, op):
        over = sorted(
            place
            for place, record in self.audit.items()
            if place[1] <= self.audit_numbers[place[0]][1] - op.keep or record.at_ns < op.at_before_ns
        )
        for namespace, number in over[: op.limit]:
            del self.audit[namespace, number]
            self.audit_numbers[namespace] = (number + 1, self.audit_numbers[namespace][1])
        return Upkept(min(len(over), op.limit), len(over) > op.limit)

    def audit_bounds(self):
        return {
            namespace: AuditBounds(
                namespace, first, last, self.audit[namespace, first].at_ns if first <= last else ...
            )
            for namespace, (first, last) in self.audit_numbers.items()
        }

    def _before(self, op):
        return self.so_far[max(0, len(self.so_far) - op.count) :]

    def _is_repetition(self, answers):
        return Recalled(replayed=True) in answers

    def _came_to(self, op, answers):
        refusal = next((answer for answer in answers if isinstance(answer, CorvoError)), op)
        return refusal.status, refusal.code


def _jobs(answers):
    return sum(JOBS[type(answer)](answer) for answer in answers if type(answer) in JOBS)
