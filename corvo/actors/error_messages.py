"""Questions about the errors of a job."""

from corvo.actors.kernel.messages import Message
from corvo.core.job import Job, JobError


class FindErrors(Message, frozen=True):
    """edge -> fsm: errors of a job before this number, newest first. Answer: ErrorsFound, or NotFound."""

    job_id: str
    before: int | None
    limit: int


class ErrorsFound(Message, frozen=True):
    job: Job
    #: Oldest first, and the number of the first.
    errors: list[JobError]
    first: int
