"""Resealing: what of a job is not sealed with the current key, and the same under that key."""

from collections.abc import Callable, Iterator
from typing import Protocol

from msgspec.structs import replace

from corvo.actors.bulk.messages import StoredJob
from corvo.core.errors import SealDamaged
from corvo.core.job import Chain, Job, JobError, Step, decode_error, encode
from corvo.core.namespace import Qualified, namespace_of
from corvo.core.sealing.form import Field, digest_of, from_text, is_sealed, is_sealed_text, key_ids_of
from corvo.core.sealing.keyring import Place, SealKeyring
from corvo.ops.reseal import ResealedJob

#: Errors of one job may be many; they go into entries of about this size.
PART_BYTES = 512 * 1024

_MEMBERS = {Field.PROGRESS: "progress", Field.CHECKPOINT: "checkpoint", Field.RESULT: "result"}


class Sealer(Protocol):
    """What seals on this node: its keys, which may change, and which queues are to be sealed."""

    keyring: SealKeyring

    def covers(self, queue: str) -> bool: ...


def resealed(sealer: Sealer, stored: StoredJob) -> Iterator[ResealedJob]:
    """Nothing if all is as it should be. Raises SealKeyMissing or SealDamaged."""
    one = _Resealing(sealer, stored.job)
    values = dict(one.values(stored))
    chain = one.chain()
    errors = {number: swap for number, error in stored.errors.items() if (swap := one.error(error))}
    if values or chain is not None:
        yield ResealedJob(stored.job.id, values, chain)
    part: dict[int, tuple[bytes, JobError]] = {}
    size = 0
    for number, swap in errors.items():
        part[number] = swap
        size += len(swap[1].error) + len(swap[1].backtrace or "")
        if size >= PART_BYTES:
            yield ResealedJob(stored.job.id, errors=part)
            part, size = {}, 0
    if part:
        yield ResealedJob(stored.job.id, errors=part)


class _Resealing:
    """One job."""

    def __init__(self, sealer: Sealer, job: Job) -> None:
        self._sealer = sealer
        self._keyring = sealer.keyring
        self._job = job
        self._namespace = namespace_of(Qualified(job.queue))
        self._is_covered = sealer.covers(job.queue)

    def values(self, stored: StoredJob) -> Iterator[tuple[Field, tuple[bytes, bytes]]]:
        job, keyring = self._job, self._keyring
        if self._is_due(stored.payload):
            plain = stored.payload
            if is_sealed(plain):
                plain = keyring.open_payload(plain, self._namespace, job.id)
            yield Field.PAYLOAD, (digest_of(stored.payload), keyring.seal(plain, self._place(Field.PAYLOAD)))
        for field, name in _MEMBERS.items():
            value: bytes | None = getattr(job, name)
            if value is not None and self._is_due(value):
                plain = value
                if is_sealed(value):
                    plain = keyring.open(value, self._namespace, field, job.id)
                yield field, (digest_of(value), keyring.seal(plain, self._place(field)))
        if job.last_error is not None and self._is_text_due(job.last_error):
            text = self._text(job.last_error, Field.ERROR, keyring.seal_error)
            yield Field.ERROR, (digest_of(job.last_error.encode()), text.encode())

    def chain(self) -> tuple[bytes, Chain] | None:
        flow = self._job.flow
        if flow is None or flow.chain is None:
            return None
        chain = flow.chain
        renewed = Chain(
            steps=tuple(map(self._step, chain.steps)),
            on_failure=None if chain.on_failure is None else self._step(chain.on_failure),
            on_exit=None if chain.on_exit is None else self._step(chain.on_exit),
        )
        return None if renewed == chain else (digest_of(encode(chain)), renewed)

    def _step(self, step: Step) -> Step:
        payload = step.payload
        if payload is None or not self._is_due(payload, covered=self._sealer.covers(step.queue)):
            return step
        if is_sealed(payload):
            payload = self._keyring.open(payload, self._namespace, Field.PAYLOAD, "")
        return Step(step.queue, self._keyring.seal(payload, Place(self._namespace, Field.PAYLOAD)))

    def error(self, stored: bytes) -> tuple[bytes, JobError] | None:
        error = decode_error(stored)
        backtrace = error.backtrace
        is_due = self._is_text_due(error.error)
        if not is_due and (backtrace is None or not self._is_text_due(backtrace)):
            return None
        if backtrace is not None:
            backtrace = self._text(backtrace, Field.BACKTRACE, self._keyring.seal_text)
        text = self._text(error.error, Field.ERROR, self._keyring.seal_error)
        return digest_of(stored), replace(error, error=text, backtrace=backtrace)

    # Values

    def _text(self, text: str, field: Field, seal: Callable[[str, Place], str]) -> str:
        if is_sealed_text(text):
            text = self._keyring.open_text(text, self._namespace, field, self._job.id)
        return seal(text, self._place(field))

    def _place(self, field: Field) -> Place:
        return Place(self._namespace, field, self._job.id)

    def _is_due(self, value: bytes, *, covered: bool | None = None) -> bool:
        """Whether it has to be sealed, or sealed with another key. What need not be sealed stays as it is."""
        if not is_sealed(value):
            return self._is_covered if covered is None else covered
        return key_ids_of(value) != {self._keyring.current}

    def _is_text_due(self, text: str) -> bool:
        if not is_sealed_text(text):
            return self._is_covered
        try:
            return key_ids_of(from_text(text)) != {self._keyring.current}
        except SealDamaged:
            return False  # A client's own text that begins like a sealed one.
