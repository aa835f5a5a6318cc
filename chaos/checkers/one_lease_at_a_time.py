"""No job is in two workers' hands at once."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from chaos.checkers.no_lost_job import Documents
from chaos.history import Claim, History

#: Clocks of nodes and of the harness do not tick alike to the last millisecond.
_SLACK_S = 0.1


def check(history: History, documents: Documents) -> Iterator[str]:  # noqa: ARG001 - all checkers look alike
    by_job: dict[str, list[Claim]] = defaultdict(list)
    for claim in history.claims:
        by_job[claim.job_id].append(claim)
    for job_id, claims in by_job.items():
        claims.sort(key=lambda claim: claim.version)
        for before, after in pairwise(claims):
            ended_at = history.ended.get(before.token, before.until_s)
            if after.at_s + _SLACK_S < min(ended_at, before.until_s):
                early_s = before.until_s - after.at_s
                yield f"{job_id} was handed out again {early_s:.1f} s before its lease was over"
