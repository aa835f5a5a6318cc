"""A lease token is given once, for one job; the versions of a job's leases only grow."""

from collections.abc import Iterator

from chaos.checkers.no_lost_job import Documents
from chaos.history import History


def check(history: History, documents: Documents) -> Iterator[str]:  # noqa: ARG001 - all checkers look alike
    tokens: dict[str, str] = {}
    versions: set[tuple[str, int]] = set()
    for claim in history.claims:
        other = tokens.setdefault(claim.token, claim.job_id)
        if other != claim.job_id:
            yield f"token {claim.token} was given for {other} and for {claim.job_id}"
        if (claim.job_id, claim.version) in versions:
            yield f"{claim.job_id} was handed out twice as version {claim.version}"
        versions.add((claim.job_id, claim.version))
