"""Messages about waiting: workers for jobs, clients for the end of a job, streams for the end of a lease."""

from collections.abc import Callable

from corvo.actors.kernel.messages import Message
from corvo.core.namespace import Qualified, Reach
from corvo.ops.idempotency import Once
from corvo.ops.results import WholeJob

# Waiting for jobs


class Wait(Message, frozen=True):
    """edge -> desk: jobs for a worker, as soon as there are any. Answer: Handed."""

    wait_id: int
    queues: tuple[Qualified, ...]
    worker_id: Qualified
    hostname: str
    lease_ms: int
    count: int
    wait_ms: int
    #: Set if the client gave a key, and so may repeat the request.
    once: Once | None = None


class Handed(Message, frozen=True):
    """desk -> edge: the jobs; none if the wait was over first."""

    jobs: list[WholeJob]
    index: int
    #: The jobs of an earlier answer, because the request was a repetition.
    replayed: bool = False


class HangUp(Message, frozen=True):
    """edge -> desk: the client of this wait is gone."""

    wait_id: int
    #: Not gone, but told that there was nothing: its claim took too long.
    told: bool = False


class CutShort(Message, frozen=True):
    """edge -> desk: end this wait; the worker takes what it gets now. There is no answer to this."""

    wait_id: int


class CloseDesk(Message, frozen=True):
    """shutdown -> desk: end all waits."""


class Coming(Message, frozen=True):
    """edge -> desk: so many jobs for each queue are on their way to the batcher. There is no answer."""

    jobs: dict[Qualified, int]


class LevelsChanged(Message, frozen=True):
    """fsm -> desk: how many jobs these queues could hand out now."""

    levels: dict[Qualified, int]


class FindKey(Message, frozen=True):
    """desk -> fsm: was a request with this key answered before? Answer: KeysUsed, if it was."""

    key: Qualified


class KeysUsed(Message, frozen=True):
    """fsm -> desk: requests with these keys were answered. A wait under one of them is a repetition."""

    keys: tuple[Qualified, ...]


# Waiting for the end of a job


class AwaitEnd(Message, frozen=True):
    """edge -> job wait: answer with JobFound when the job has ended, or when the wait is over."""

    job_id: str
    wait_ms: int
    reach: Reach | None = None


class CloseJobWait(Message, frozen=True):
    """shutdown -> job wait: answer all waiters with the job as it is now."""


# Waiting for the end of a lease


#: Called with the id of a job whose lease is over, and whether it was taken away rather than handed back.
Tell = Callable[[str, bool], None]


class HoldJobs(Message, frozen=True):
    """stream -> lease watch: these jobs are worked on here, under these tokens, since this entry."""

    tokens: dict[str, int]
    since_index: int
    tell: Tell


class LetGo(Message, frozen=True):
    """stream -> lease watch: these jobs are no longer worked on here."""

    job_ids: list[str]
    tell: Tell
