"""Reseal: jobs get the values they have, under another key. Nothing about a job changes but its bytes."""

from msgspec.structs import replace

from corvo.core.job import Job, encode
from corvo.core.limits import PAYLOAD_INLINE_BYTES_MAX
from corvo.core.sealing.form import Field, digest_of
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.ops.reseal import Reseal, ResealedJob
from corvo.ops.results import Upkept
from corvo.storage import keys

_MEMBERS = {Field.PROGRESS: "progress", Field.CHECKPOINT: "checkpoint", Field.RESULT: "result"}


@applies(Reseal)
def reseal(op: Reseal, tx: EntryTx) -> Upkept:
    return Upkept(sum(_reseal(tx, resealed) for resealed in op.jobs), more=False)


def _reseal(tx: EntryTx, resealed: ResealedJob) -> bool:
    was = tx.job(resealed.job_id)
    if was is None:
        return False
    job = was.copy()
    for field, (digest, value) in resealed.values.items():
        _replace_value(tx, job, field, digest, value)
    if resealed.chain is not None and was.flow is not None:
        digest, chain = resealed.chain
        if digest_of(encode(was.flow.chain)) == digest:
            job.flow = replace(was.flow, chain=chain)
    for number, (digest, error) in resealed.errors.items():
        key = keys.error(was.id, number)
        stored = tx.kv.get(key)
        if stored is not None and digest_of(stored) == digest:
            tx.kv.put(key, encode(error))
    tx.save(job, was)
    return True


def _replace_value(tx: EntryTx, job: Job, field: Field, digest: bytes, value: bytes) -> None:
    if field is Field.PAYLOAD:
        _replace_payload(tx, job, digest, value)
    elif field is Field.ERROR:
        if job.last_error is not None and digest_of(job.last_error.encode()) == digest:
            job.last_error = value.decode()
    else:
        stored = getattr(job, _MEMBERS[field])
        if stored is not None and digest_of(stored) == digest:
            setattr(job, _MEMBERS[field], value)


def _replace_payload(tx: EntryTx, job: Job, digest: bytes, payload: bytes) -> None:
    if digest_of(tx.payload_of(job)) != digest:
        return
    job.size = len(payload)
    if len(payload) <= PAYLOAD_INLINE_BYTES_MAX:
        if job.payload is None:
            tx.kv.delete(keys.payload(job.id))
        job.payload = payload
    else:
        job.payload = None
        tx.kv.put(keys.payload(job.id), payload)
