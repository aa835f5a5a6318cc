"""No job is in two workers' hands at once; tokens never repeat; versions only grow."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from chaos.checkers.no_lost_job import Documents
from chaos.history import Claim, History

#: The server counts a lease from when it granted it, the client from when it heard of it.
_SLACK_S = 1.0


def check(history: History, documents: Documents) -> Iterator[str]:  # noqa: ARG001 - all checkers look alike
    tokens: dict[str, str] = {}
    by_job: dict[str, list[Claim]] = defaultdict(list)
    for claim in history.claims:
        other = tokens.setdefault(claim.token, claim.job_id)
        if other != claim.job_id:
            yield f"token {claim.token} was given for {other} and for {claim.job_id}"
        by_job[claim.job_id].append(claim)
    for job_id, claims in by_job.items():
        claims.sort(key=lambda claim: claim.version)
        for before, after in pairwise(claims):
            if before.version == after.version:
                yield f"{job_id} was handed out twice as version {before.version}"
            ended_at = history.ended.get(before.token, before.until_s)
            if after.at_s + _SLACK_S < min(ended_at, before.until_s):
                early_s = before.until_s - after.at_s
                yield f"{job_id} was handed out again {early_s:.1f} s before its lease was over"
