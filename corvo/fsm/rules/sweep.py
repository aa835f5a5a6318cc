"""Sweep: works through what is due. Most upkeep ops have this shape."""

from collections.abc import Callable
from itertools import islice

from corvo.core.job import Job
from corvo.fsm.entry_tx import EntryTx
from corvo.ops.results import Upkept


def sweep(tx: EntryTx, family: bytes, end_ns: int, limit: int, act: Callable[[int, str], None]) -> Upkept:
    """Deal with everything of a family that is due before `end_ns`, up to the limit."""
    due = tx.state.due
    # The keys are taken before acting on them: acting writes to the family that is being read.
    found = list(islice(due.until(family, end_ns, tx.kv), limit + 1))
    for at_ns, name in found[:limit]:
        act(at_ns, name)
    more = len(found) > limit
    due.passed(family, found[limit][0] if more else end_ns)
    due.look(family, tx.kv)
    return Upkept(min(len(found), limit), more)


def sweep_jobs(tx: EntryTx, family: bytes, end_ns: int, limit: int, act: Callable[[Job], None]) -> Upkept:
    """Sweep a family whose keys name jobs. `act` gets their documents."""

    def act_on(_at_ns: int, job_id: str) -> None:
        job = tx.job(job_id)
        assert job is not None, f"{job_id} is due but has no document"
        act(job)

    return sweep(tx, family, end_ns, limit, act_on)
