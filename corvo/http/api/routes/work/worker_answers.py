"""Worker answers: from what an op came to, to what its worker is told, by request, batch and stream alike."""

from msgspec import UNSET

from corvo.core.errors import CorvoError, LeaseConflict, NotFound
from corvo.core.states import JobState
from corvo.http.api.routes.writing import true_or_unset
from corvo.http.api.schema import worker as schema
from corvo.ops.results import Finished, Outcome, Pulse


def ack_result(job_id: str, outcome: Outcome) -> schema.AckResult:
    match outcome:
        case Finished():
            return schema.AckResult(job_id, "ok", duplicate=true_or_unset(outcome.duplicate))
        case NotFound():
            return schema.AckResult(job_id, "not_found")
        case LeaseConflict():
            return schema.AckResult(job_id, "stale")
        case CorvoError():
            return schema.AckResult(job_id, "skipped")
    raise AssertionError(f"an ack came to {outcome!r}")


def acked(results: list[schema.AckResult]) -> int:
    """How many jobs were completed, repetitions not counted."""
    return sum(result.status == "ok" and result.duplicate is UNSET for result in results)


def verdict(failed: Finished) -> tuple[str, int]:
    """What becomes of a job whose attempt failed, and how many attempts it has left."""
    assert failed.whole is not None
    if failed.state is JobState.DEAD:
        return "dead", 0
    return "retrying", max(0, failed.whole.job.max_retries - failed.attempt)


def pulse_body(pulse: Pulse) -> schema.PulseBody:
    if pulse.expires_ns is not None:
        return schema.PulseBody("ok")
    return schema.PulseBody("cancel", reason=pulse.lost or UNSET)
