"""Working through what is due: every upkeep op has this shape."""

from collections.abc import Callable
from itertools import islice

from corvo.core.job import Job
from corvo.fsm.entry_tx import Turn
from corvo.ops.results import Upkept


def sweep(turn: Turn, family: bytes, end_ns: int, limit: int, act: Callable[[int, str], None]) -> Upkept:
    """Deal with everything of a family that is due before `end_ns`, up to the limit."""
    due = turn.state.due
    # The keys are taken before acting on them: acting writes to the family that is being read.
    found = list(islice(due.until(family, end_ns, turn.tx), limit + 1))
    for at_ns, name in found[:limit]:
        act(at_ns, name)
    more = len(found) > limit
    due.passed(family, found[limit][0] if more else end_ns)
    due.look(family, turn.tx)
    return Upkept(min(len(found), limit), more)


def sweep_jobs(turn: Turn, family: bytes, end_ns: int, limit: int, act: Callable[[Job], None]) -> Upkept:
    """The same for families whose keys name jobs."""

    def act_on(_at_ns: int, job_id: str) -> None:
        job = turn.job(job_id)
        assert job is not None, f"{job_id} is due but has no document"
        act(job)

    return sweep(turn, family, end_ns, limit, act_on)
