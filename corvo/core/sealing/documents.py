"""Documents as clients may see them: sealed values opened, or where that cannot be done, a notice instead.

A document without a sealed value comes back as it is. None is changed in place (core/job.py says why).
"""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from corvo.core.batch import Batch
from corvo.core.errors import CorvoError, SealDamaged, SealKeyMissing
from corvo.core.events import Event
from corvo.core.job import Chain, Job, JobError, Step
from corvo.core.namespace import Qualified, namespace_of
from corvo.core.schedule import Schedule
from corvo.core.sealing.form import Field, from_text, group_of_text, is_sealed, is_sealed_text
from corvo.core.sealing.keyring import SealKeyring

#: The only member of what stands in the place of JSON that could not be opened.
UNREADABLE: Final = "corvo_unreadable"

_encode_json: Final = msgspec.json.Encoder().encode
_JSON_FIELDS: Final = (
    ("progress", Field.PROGRESS),
    ("checkpoint", Field.CHECKPOINT),
    ("result", Field.RESULT),
)
#: Facts of events that may be the text of an error.
_EVENT_TEXTS: Final = ("error", "reason")


def notice(error: CorvoError) -> bytes:
    """Stands in the place of JSON."""
    return _encode_json({UNREADABLE: {"code": error.code, "message": error.message} | error.facts})


class Opener:
    def __init__(self, keyring: SealKeyring) -> None:
        self.keyring = keyring

    # Jobs

    def payload(self, job: Job, payload: bytes) -> bytes:
        if not is_sealed(payload):
            return payload
        try:
            return self.keyring.open_payload(payload, _namespace(job.queue), job.id)
        except (SealKeyMissing, SealDamaged) as error:
            return notice(error)

    def payload_text(self, job: Job, text: str) -> str:
        """A payload as the mirror has it."""
        if not is_sealed_text(text):
            return text
        try:
            payload = from_text(text)
        except SealDamaged as error:
            return notice(error).decode()
        return self.payload(job, payload).decode()

    def job(self, job: Job) -> Job:
        if job.lease_version == 0 and job.checkpoint is None and job.flow is None and job.last_error is None:
            return job  # Nobody has said anything of it yet.
        opened = None
        for name, field in _JSON_FIELDS:
            value = getattr(job, name)
            if value is not None and is_sealed(value):
                opened = opened or job.copy()
                setattr(opened, name, self._json(value, job.queue, field, job.id))
        if is_sealed_text(job.last_error):
            assert job.last_error is not None
            opened = opened or job.copy()
            opened.last_error = self._text(job.last_error, job.queue, Field.ERROR, job.id)
        flow = job.flow
        if flow is not None and flow.chain is not None and _has_sealed(flow.chain):
            opened = opened or job.copy()
            opened.flow = replace(flow, chain=self._chain(flow.chain))
        return opened or job

    def for_worker(self, job: Job, payload: bytes) -> tuple[Job, bytes]:
        """What a worker needs of a job. Raises if it cannot be opened: no worker is given a notice."""
        namespace = _namespace(job.queue)
        if is_sealed(payload):
            payload = self.keyring.open_payload(payload, namespace, job.id)
        if job.checkpoint is not None and is_sealed(job.checkpoint):
            checkpoint = self.keyring.open(job.checkpoint, namespace, Field.CHECKPOINT, job.id)
            job = job.copy()
            job.checkpoint = checkpoint
        return job, payload

    def errors(self, job: Job, errors: list[JobError]) -> list[JobError]:
        return [self._error(job, error) for error in errors] if errors else errors

    def _error(self, job: Job, error: JobError) -> JobError:
        if not is_sealed_text(error.error) and not is_sealed_text(error.backtrace):
            return error
        backtrace = error.backtrace
        return replace(
            error,
            error=self._text(error.error, job.queue, Field.ERROR, job.id),
            backtrace=None
            if backtrace is None
            else self._text(backtrace, job.queue, Field.BACKTRACE, job.id),
        )

    def _chain(self, chain: Chain) -> Chain:
        return Chain(
            steps=tuple(map(self._step, chain.steps)),
            on_failure=None if chain.on_failure is None else self._step(chain.on_failure),
            on_exit=None if chain.on_exit is None else self._step(chain.on_exit),
        )

    def _step(self, step: Step) -> Step:
        return Step(step.queue, self._template(step.payload, step.queue))

    # What jobs are made from

    def batch(self, batch: Batch) -> Batch:
        payload = batch.callback_payload
        if payload is None or not is_sealed(payload):
            return batch
        return replace(batch, callback_payload=self._template(payload, batch.callback_queue or ""))

    def schedule(self, schedule: Schedule) -> Schedule:
        pattern = schedule.plan.pattern
        if not is_sealed(pattern.payload):
            return schedule
        payload = self._template(pattern.payload, pattern.queue)
        assert payload is not None
        return replace(schedule, plan=replace(schedule.plan, pattern=replace(pattern, payload=payload)))

    # Events

    def event(self, event: Event) -> Event:
        data, queue, job_id = event.data, event.queue or "", event.job_id or ""
        if isinstance(data, bytes):
            if not is_sealed(data):
                return event
            return replace(event, data=self._json(data, queue, Field.PROGRESS, job_id))
        if data is None:
            return event
        texts: dict[str, Any] = {
            name: self._text(data[name], queue, Field.ERROR, job_id)
            for name in _EVENT_TEXTS
            if is_sealed_text(data.get(name))
        }
        return replace(event, data=data | texts) if texts else event

    # Values

    def _json(self, value: bytes, queue: str, field: Field, job_id: str) -> bytes:
        try:
            return self.keyring.open(value, _namespace(queue), field, job_id)
        except (SealKeyMissing, SealDamaged) as error:
            return notice(error)

    def _template(self, value: bytes | None, queue: str) -> bytes | None:
        return value if value is None or not is_sealed(value) else self._json(value, queue, Field.PAYLOAD, "")

    def _text(self, text: str, queue: str, field: Field, job_id: str) -> str:
        if group_of_text(text) is None:
            return text  # Not sealed, or a client's own that only begins like one.
        try:
            return self.keyring.open_text(text, _namespace(queue), field, job_id)
        except (SealKeyMissing, SealDamaged) as error:
            return f"(cannot be read: {error.message})"


def _namespace(queue: str) -> str:
    return namespace_of(Qualified(queue))


def _has_sealed(chain: Chain) -> bool:
    steps = (*chain.steps, chain.on_failure, chain.on_exit)
    return any(step is not None and is_sealed(step.payload) for step in steps)
