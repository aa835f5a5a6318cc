"""Chains: when a step completes, the next step's job is made, with the result of the one before.

The rules for users are in docs/reference/flows.md.
"""

import msgspec

from corvo.core.job import EXIT_STEP, FAILURE_STEP, Flow, Job, Step
from corvo.core.sealing.form import Field, Part, is_sealed_text, joined, member_part, object_part
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import job_insert

_encode = msgspec.json.Encoder().encode


def advance(tx: EntryTx, done: Job, result: bytes | None, *, leave: bool, exit_reason: str | None) -> None:
    """A job has completed. `result` is what its ack brought."""
    flow = done.flow
    if flow is None or flow.chain is None or flow.chain_step < 0:
        return
    given = [Part(_encode({"previous_job_id": done.id}))]
    if result is not None:
        given.append(member_part("previous_result", result, Field.RESULT, done.id))
    if exit_reason is not None:
        given.append(Part(_encode({"exit_reason": exit_reason})))
    following = flow.chain_step + 1
    if not leave and following < len(flow.chain.steps):
        _bear(tx, done, flow.chain.steps[following], following, given)
    elif flow.chain.on_exit is not None:
        _bear(tx, done, flow.chain.on_exit, EXIT_STEP, given)


def fail(tx: EntryTx, dead: Job) -> None:
    """A step is dead, and with it the chain. If it has an `on_failure` step, that job is made."""
    flow = dead.flow
    if flow is None or flow.chain is None or flow.chain.on_failure is None or flow.chain_step < 0:
        return
    facts = {"failed_job_id": dead.id, "failed_step": flow.chain_step}
    error = dead.last_error or ""
    if is_sealed_text(error):
        given = [Part(_encode(facts)), Part(error.encode(), Field.ERROR, dead.id, "error")]
    else:
        given = [Part(_encode(facts | {"error": error}))]
    _bear(tx, dead, flow.chain.on_failure, FAILURE_STEP, given)


def _bear(tx: EntryTx, before: Job, step: Step, number: int, given: list[Part]) -> None:
    """Make the next job, with the settings of the one before. Its own payload wins over what it is given."""
    assert before.flow is not None
    job_insert.bear(
        tx,
        step.queue,
        joined(*given, object_part(step.payload)),
        priority=before.priority,
        max_retries=before.max_retries,
        backoff=before.backoff,
        retry_base_ms=before.retry_base_ms,
        retry_max_ms=before.retry_max_ms,
        retry_jitter=before.retry_jitter,
        tags=before.tags,
        flow=Flow(chain_id=before.flow.chain_id, chain_step=number, chain=before.flow.chain),
    )
