"""Job wait: what `--wait` does until a job has ended."""

import time
from typing import Any

from corvo.cli.exit_codes import ExitCode
from corvo.cli.output.progress import ProgressLine
from corvo.cli.problems import ApiError, Problem
from corvo.cli.request.client import Api, segment

_ENDED = frozenset({"completed", "dead", "cancelled"})
#: One request waits no longer, so that progress is shown now and then.
_ROUND_S = 2.0
_PAUSE_S = 0.5


def wait_for(
    api: Api, job_id: str, timeout_s: float, *, was_there: bool = False, quiet: bool = False
) -> dict[str, Any]:
    """The job when it has ended, or as it is when the time is up. Of a job that is deleted meanwhile only
    that is known; a job that was never there is an ApiError."""
    deadline = time.monotonic() + timeout_s
    with ProgressLine(f"waiting for {job_id}", quiet=quiet) as progress:
        while True:
            left_s = deadline - time.monotonic()
            try:
                # A client that asks the server to wait must not hang up before it has. The first look waits
                # for nothing: it tells whether there is such a job.
                round_s = min(left_s, _ROUND_S, api.target.timeout_s / 2) if was_there else 0
                job = _look(api, job_id, round_s)
            except Problem as problem:
                if was_there and isinstance(problem, ApiError) and problem.status == 404:
                    return {"id": job_id, "state": "deleted"}
                # A server that was there may be back in a moment.
                if not was_there or left_s <= 0 or problem.exit_code is not ExitCode.UNAVAILABLE:
                    raise
                progress.note(problem.message)
                time.sleep(_PAUSE_S)
                continue
            was_there = True
            if job["state"] in _ENDED or left_s <= 0:
                return job
            progress.note(f"{job['state']} {job.get('progress', '')}")


def _look(api: Api, job_id: str, wait_s: float) -> dict[str, Any]:
    wait_ms = max(1, int(wait_s * 1_000))
    job: dict[str, Any] = api.get(f"/api/v1/jobs/{segment(job_id)}", wait=f"{wait_ms}ms")
    return job
