"""Waiting for a job to end: what `--wait` does."""

import time
from typing import Any

from corvo.cli.client import Api, segment
from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import ApiError, Problem
from corvo.cli.progress import Progress

ENDED = frozenset({"completed", "dead", "cancelled", "deleted"})
#: One request waits no longer, so that progress is shown now and then.
_ROUND_S = 2.0
_PAUSE_S = 0.5


def wait_for(api: Api, job_id: str, timeout_s: float, *, quiet: bool = False) -> dict[str, Any]:
    """The job when it has ended, or as it is when the time is up. Of a deleted one only that is known."""
    deadline = time.monotonic() + timeout_s
    job: dict[str, Any] | None = None
    with Progress(f"waiting for {job_id}", quiet=quiet) as progress:
        while True:
            left_s = deadline - time.monotonic()
            try:
                # Whoever asks the server to wait must not hang up before it has.
                job = _look(api, job_id, max(0.001, min(left_s, _ROUND_S, api.target.timeout_s / 2)))
            except Problem as problem:
                # A server that was there may be back in a moment.
                if job is None or left_s <= 0 or problem.exit_code is not ExitCode.UNAVAILABLE:
                    raise
                progress.note(problem.message)
                time.sleep(_PAUSE_S)
                continue
            if job["state"] in ENDED or left_s <= 0:
                return job
            progress.note(f"{job['state']} {job.get('progress', '')}")


def _look(api: Api, job_id: str, wait_s: float) -> dict[str, Any]:
    try:
        job: dict[str, Any] = api.get(f"/api/v1/jobs/{segment(job_id)}", wait=f"{int(wait_s * 1_000) or 1}ms")
    except ApiError as error:
        if error.status == 404:
            return {"id": job_id, "state": "deleted"}
        raise
    return job
