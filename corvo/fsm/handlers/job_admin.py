"""Job administration: people cancel, retry, hold, move or delete jobs, one at a time or many."""

from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import actions
from corvo.ops.job_admin import Act, ActMany
from corvo.ops.results import Acted, ActedMany


@applies(Act)
def act(op: Act, tx: EntryTx) -> Acted:
    was = actions.act(tx, op.job_id, op)
    job = tx.job(op.job_id)
    return Acted(was.state, None if job is None else job.state)


@applies(ActMany)
def act_many(op: ActMany, tx: EntryTx) -> ActedMany:
    return actions.act_many(tx, op)
