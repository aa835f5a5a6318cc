"""People change what becomes of jobs, one at a time or many."""

from corvo.core.errors import CorvoError
from corvo.fsm.entry_tx import Turn
from corvo.fsm.registry import applies
from corvo.fsm.rules import actions, dependencies
from corvo.ops.job_admin import Act, ActMany
from corvo.ops.results import Acted, ActedMany, ActFailure


@applies(Act)
def act(op: Act, turn: Turn) -> Acted:
    was = actions.act(turn, op.job_id, op)
    job = turn.job(op.job_id)
    return Acted(was.state, None if job is None else job.state)


@applies(ActMany)
def act_many(op: ActMany, turn: Turn) -> ActedMany:
    """Each job by itself: one that is refused leaves no trace and does not disturb the others."""
    affected = 0
    failures = []
    room: int | None = None
    for job_id in op.job_ids:
        turn.begin()
        try:
            actions.act(turn, job_id, op)
        except CorvoError as error:
            turn.rollback()
            failures.append(ActFailure(job_id, error.code, error.message))
        else:
            room = dependencies.tell_all(turn, room)
            affected += 1
    turn.begin()
    return ActedMany(affected, failures, len(failures))
