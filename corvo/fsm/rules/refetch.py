"""Refetch: a fetch is repeated under its key, and the worker whose answer was lost gets the same jobs again.

It gets those whose leases still hold: one that has ended meanwhile is of no use to the worker. If none holds,
or the fetch had brought no job, the repeated fetch is a new one.
"""

from collections.abc import Callable

from corvo.ops.results import Claimed, Fetched, Outcome, WholeJob


def leases_of(fetched: Fetched) -> Claimed:
    """What to remember of a fetch."""
    return Claimed([[_lease_of(whole) for whole in jobs] for jobs in fetched.claims])


def _lease_of(whole: WholeJob) -> tuple[str, int]:
    assert whole.job.lease is not None
    return whole.job.id, whole.job.lease.token


def again(claimed: Claimed, find: Callable[[str], WholeJob | None]) -> Fetched:
    """The jobs that are still under the leases of that fetch, as they are now."""
    return Fetched([[job for lease in leases if (job := _held(lease, find))] for leases in claimed.leases])


def _held(lease: tuple[str, int], find: Callable[[str], WholeJob | None]) -> WholeJob | None:
    job_id, token = lease
    found = find(job_id)
    if found is None or found.job.lease is None or found.job.lease.token != token:
        return None
    return found


def brought_nothing(outcomes: list[Outcome]) -> bool:
    """Whether these are fetches without any job."""
    return bool(outcomes) and all(isinstance(each, Fetched) and not any(each.claims) for each in outcomes)
