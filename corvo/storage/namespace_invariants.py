"""What must always hold about namespaces: whatever belongs together is in one. A part of `invariants`."""

from collections.abc import Iterator

from corvo.core.batch import Batch
from corvo.core.bulk import ENDED, decode_bulk
from corvo.core.job import Job, decode_job
from corvo.core.namespace import (
    decode_namespace,
    is_namespace,
    namespace_in,
    namespace_of,
    qualified,
)
from corvo.core.schedule import Schedule
from corvo.core.webhook import Webhook
from corvo.storage import keys
from corvo.storage.kv import KvReader


def check_job(store: KvReader, job: Job) -> Iterator[str]:
    """What a job hangs on, and what is made of it, is in its own namespace."""
    namespace = namespace_of(job.queue)
    if job.lease is not None and namespace_of(job.lease.worker_id) != namespace:
        yield f"{job.id} of namespace {namespace} is leased to {job.lease.worker_id!r}"
    if job.flow is None:
        return
    if job.flow.chain is not None and any(
        namespace_of(step.queue) != namespace for step in job.flow.chain.every_step()
    ):
        yield f"{job.id} of namespace {namespace} has a chain that leaves it"
    for dependency in job.flow.depends_on:
        stored = store.get(keys.job(dependency))
        if stored is None or store.get(keys.dependent(dependency, job.id)) is None:
            continue
        if namespace_of(decode_job(stored).queue) != namespace:
            yield f"{job.id} waits for {dependency}, which is in another namespace"


def check_batch(key: bytes, batch: Batch) -> Iterator[str]:
    if key != keys.batch(qualified(batch.namespace, batch.id)):
        yield f"the batch under {key!r} calls itself {batch.id} of namespace {batch.namespace}"
    if batch.callback_queue is not None and namespace_of(batch.callback_queue) != batch.namespace:
        yield f"batch {batch.id} of namespace {batch.namespace} calls back {batch.callback_queue!r}"


def check_schedule(schedule: Schedule) -> Iterator[str]:
    if namespace_of(schedule.plan.name) != namespace_of(schedule.plan.pattern.queue):
        yield f"schedule {schedule.id} makes jobs in another namespace than its own"


def check_webhook(webhook: Webhook) -> Iterator[str]:
    if namespace_in(webhook.reach) != namespace_of(webhook.id):
        yield f"webhook {webhook.id!r} hears of another namespace than its own"


def check_documents(store: KvReader) -> Iterator[str]:
    """One that is being deleted has a task that does it, and such a task has a namespace to delete."""
    deleting: dict[str, str] = {}
    for key, value in store.scan(keys.NAMESPACE, keys.after(keys.NAMESPACE)):
        namespace = decode_namespace(value)
        if keys.parse_namespace(key) != namespace.name or not is_namespace(namespace.name):
            yield f"the namespace under {key!r} calls itself {namespace.name!r}"
        if namespace.deleting is not None:
            deleting[namespace.deleting] = namespace.name
    for _, value in store.scan(keys.BULK, keys.after(keys.BULK)):
        task = decode_bulk(value)
        is_at_it = task.namespace is not None and task.status not in ENDED
        if is_at_it and deleting.pop(task.id, None) != task.namespace:
            yield f"bulk task {task.id} deletes namespace {task.namespace}, which does not know of it"
    for task_id, name in deleting.items():
        yield f"namespace {name} is to be deleted by {task_id}, which does not"
