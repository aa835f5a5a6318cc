"""Queries: answers to questions, for the actor of the state machine. What it reads is always current."""

from corvo.actors.access.messages import FindAccess, FindSessions
from corvo.actors.audit.messages import FindAudit, ReadAudit
from corvo.actors.bulk.messages import FindBulk, FindBulkIds, ListBulk, ListUnfinishedBulk, ReadStored
from corvo.actors.cluster.messages import FindSharedSettings
from corvo.actors.events.messages import FindHistory, ReadEvents
from corvo.actors.fetch.messages import FindKey, KeysUsed
from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.state.questions import (
    ExplainJob,
    FindBatch,
    FindErrors,
    FindJob,
    FindJobs,
    FindNamespace,
    FindQueues,
    FindRelatives,
    ListBatches,
    ListNamespaces,
    ListQueues,
    ListWorkers,
    Recall,
    SumStates,
)
from corvo.actors.state.reader import StateReader
from corvo.actors.time.messages import DueFound, FindDueSchedules, FindSchedule, ListSchedules, LookDue
from corvo.actors.webhooks.messages import FindWebhook, ListWebhooks
from corvo.core.clock import Clock
from corvo.core.errors import IdempotencyMismatch, NotFound
from corvo.core.namespace import name_of
from corvo.fsm.state import State


class Queries(Actor):
    def __init__(self, state: State, clock: Clock) -> None:
        self._read_from(state)
        self._clock = clock

    def _read_from(self, state: State) -> None:
        self._reader = StateReader(state)

    def receiveMsg_FindSessions(self, msg: FindSessions, sender: ActorAddress) -> None:
        self.send(sender, self._reader.sessions())

    def receiveMsg_FindAccess(self, msg: FindAccess, sender: ActorAddress) -> None:
        self.send(sender, self._reader.access())

    def receiveMsg_FindAudit(self, msg: FindAudit, sender: ActorAddress) -> None:
        self.send(sender, self._reader.find_audit(msg))

    def receiveMsg_ReadAudit(self, msg: ReadAudit, sender: ActorAddress) -> None:
        self.send(sender, self._reader.read_audit(msg))

    def receiveMsg_FindJob(self, msg: FindJob, sender: ActorAddress) -> None:
        found = self._reader.job(msg.job_id, msg.reach)
        self.send(sender, found if found is not None else NotFound(f"job {msg.job_id} does not exist"))

    def receiveMsg_FindJobs(self, msg: FindJobs, sender: ActorAddress) -> None:
        self.send(sender, self._reader.jobs(msg.job_ids, msg.reach))

    def receiveMsg_FindQueues(self, msg: FindQueues, sender: ActorAddress) -> None:
        self.send(sender, self._reader.queues_of(msg.job_ids))

    def receiveMsg_ListQueues(self, msg: ListQueues, sender: ActorAddress) -> None:
        self.send(sender, self._reader.queues(msg.names, msg.reach))

    def receiveMsg_SumStates(self, msg: SumStates, sender: ActorAddress) -> None:
        self.send(sender, self._reader.states(msg.queue, msg.reach))

    def receiveMsg_FindBatch(self, msg: FindBatch, sender: ActorAddress) -> None:
        found = self._reader.batch(msg.batch_id, msg.reach)
        self.send(sender, found if found is not None else NotFound(f"batch {msg.batch_id} does not exist"))

    def receiveMsg_FindBulk(self, msg: FindBulk, sender: ActorAddress) -> None:
        found = self._reader.bulk(msg.task_id, msg.reach)
        self.send(sender, found if found is not None else NotFound(f"bulk task {msg.task_id} does not exist"))

    def receiveMsg_FindBulkIds(self, msg: FindBulkIds, sender: ActorAddress) -> None:
        self.send(sender, self._reader.bulk_ids(msg.task_id, msg.chunk))

    def receiveMsg_ReadStored(self, msg: ReadStored, sender: ActorAddress) -> None:
        self.send(sender, self._reader.stored(msg.job_ids, msg.bytes_max, msg.reach))

    def receiveMsg_ListBatches(self, msg: ListBatches, sender: ActorAddress) -> None:
        self.send(sender, self._reader.batches(msg.before_id, msg.limit, msg.reach))

    def receiveMsg_ListBulk(self, msg: ListBulk, sender: ActorAddress) -> None:
        self.send(sender, self._reader.bulk_tasks(msg.before_id, msg.limit, msg.reach))

    def receiveMsg_ListUnfinishedBulk(self, msg: ListUnfinishedBulk, sender: ActorAddress) -> None:
        self.send(sender, self._reader.unfinished_bulk_tasks())

    def receiveMsg_FindErrors(self, msg: FindErrors, sender: ActorAddress) -> None:
        found = self._reader.errors(msg.job_id, msg.before, msg.limit, msg.reach)
        self.send(sender, found if found is not None else NotFound(f"job {msg.job_id} does not exist"))

    def receiveMsg_FindSchedule(self, msg: FindSchedule, sender: ActorAddress) -> None:
        found = self._reader.schedule(msg.id_or_name, msg.reach)
        missing = NotFound(f"schedule {msg.id_or_name} does not exist")
        self.send(sender, found if found is not None else missing)

    def receiveMsg_ListSchedules(self, msg: ListSchedules, sender: ActorAddress) -> None:
        self.send(sender, self._reader.schedules(msg.after, msg.limit, msg.reach))

    def receiveMsg_FindDueSchedules(self, msg: FindDueSchedules, sender: ActorAddress) -> None:
        self.send(sender, self._reader.due_schedules(msg.now_ns, msg.limit))

    def receiveMsg_ListWorkers(self, msg: ListWorkers, sender: ActorAddress) -> None:
        self.send(sender, self._reader.workers(msg.reach))

    def receiveMsg_FindNamespace(self, msg: FindNamespace, sender: ActorAddress) -> None:
        found = self._reader.namespace(msg.name)
        self.send(sender, found if found is not None else NotFound(f"namespace {msg.name} does not exist"))

    def receiveMsg_ListNamespaces(self, msg: ListNamespaces, sender: ActorAddress) -> None:
        self.send(sender, self._reader.namespaces())

    def receiveMsg_FindHistory(self, msg: FindHistory, sender: ActorAddress) -> None:
        found = self._reader.history(msg.job_id, msg.reach)
        self.send(sender, found if found is not None else NotFound(f"job {msg.job_id} does not exist"))

    def receiveMsg_ExplainJob(self, msg: ExplainJob, sender: ActorAddress) -> None:
        found = self._reader.explain(msg.job_id, self._clock.now_ns(), msg.reach)
        self.send(sender, found if found is not None else NotFound(f"job {msg.job_id} does not exist"))

    def receiveMsg_Recall(self, msg: Recall, sender: ActorAddress) -> None:
        try:
            self.send(sender, self._reader.recall(msg.once))
        except IdempotencyMismatch as error:
            self.send(sender, error)

    def receiveMsg_FindKey(self, msg: FindKey, sender: ActorAddress) -> None:
        if self._reader.knows_key(msg.key):
            self.send(sender, KeysUsed((msg.key,)))

    def receiveMsg_ReadEvents(self, msg: ReadEvents, sender: ActorAddress) -> None:
        self.send(sender, self._reader.events(msg.after_seq, msg.limit, msg.reach, msg.tag))

    def receiveMsg_ListWebhooks(self, msg: ListWebhooks, sender: ActorAddress) -> None:
        self.send(sender, self._reader.webhooks(msg.reach))

    def receiveMsg_FindWebhook(self, msg: FindWebhook, sender: ActorAddress) -> None:
        found = self._reader.webhook(msg.webhook_id, msg.reach)
        self.send(
            sender,
            found if found is not None else NotFound(f"webhook {name_of(msg.webhook_id)} does not exist"),
        )

    def receiveMsg_FindRelatives(self, msg: FindRelatives, sender: ActorAddress) -> None:
        found = self._reader.relatives(msg.job_id, msg.reach)
        self.send(sender, found if found is not None else NotFound(f"job {msg.job_id} does not exist"))

    def receiveMsg_FindSharedSettings(self, msg: FindSharedSettings, sender: ActorAddress) -> None:
        self.send(sender, self._reader.rules(msg.tag))

    def receiveMsg_LookDue(self, msg: LookDue, sender: ActorAddress) -> None:
        self.send(sender, DueFound(msg.family, self._reader.due_ns(msg.family, msg.kept_max)))
