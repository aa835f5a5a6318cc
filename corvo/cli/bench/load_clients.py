"""Load clients: three ways to enqueue jobs and to work them off, by single requests, batches or a stream.

A load client enqueues canned jobs, and takes turns as a worker: what it did is acked, then it fetches more.
"""

from typing import NamedTuple, Protocol

from corvo.cli.bench import answers, conversation
from corvo.cli.bench.answers import ClaimedJob
from corvo.cli.bench.conversation import BenchStream
from corvo.cli.bench.figures import BenchClock, BenchFigures
from corvo.cli.bench.link import BenchLink
from corvo.cli.bench.plan import BenchPlan

#: How long an idle worker waits for jobs before it looks whether all is done.
WAIT_S = 1
#: On the stream the answer to acks waits with the fetch of their line, so it is shorter there.
LINE_WAIT_MS = 200
LEASE_S = 300
#: `{"jobs":[]}`, or no body at all.
_EMPTY_BYTES = 11


class JobTurn(NamedTuple):
    acked: list[str]
    jobs: list[ClaimedJob]


class LoadClient(Protocol):
    #: Whether it may be asked again before it has answered.
    pipelines: bool

    async def enqueue(self, queue_number: int) -> list[str]:
        """Ids of the jobs that the server has accepted."""

    async def turn(self, done: list[ClaimedJob], *, wait: bool) -> JobTurn:
        """Ack what is done, or fetch more; both, if they are one line, which waits only if more may come."""


class Canned:
    """What is sent again and again, made once."""

    def __init__(self, plan: BenchPlan, worker: int) -> None:
        self.worker = f"bench-{worker}"
        filler = "x" * plan.payload_bytes
        jobs = [answers.encode({"queue": queue, "payload": {"x": filler}}) for queue in plan.queues]
        many = [b",".join([job] * plan.enqueue_batch) for job in jobs]
        self.single = jobs
        self.batches = [b'{"jobs":[%s]}' % each for each in many]
        self.lines = [b'"enqueues":[%s]' % each for each in many]
        fetch = {
            "queues": plan.queues,
            "worker_id": self.worker,
            "lease_duration": LEASE_S,
            "timeout": WAIT_S,
        }
        self.fetch = answers.encode(fetch)
        self.fetch_many = answers.encode(fetch | {"count": plan.fetch_batch})
        del fetch["timeout"]
        line = fetch | {"fetch_count": plan.fetch_batch}
        self.fetch_line = answers.encode(line | {"wait_ms": LINE_WAIT_MS})[1:-1]
        self.fetch_line_now = answers.encode(line)[1:-1]


class SingleRequests:
    def __init__(self, link: BenchLink, canned: Canned, figures: BenchFigures) -> None:
        self.pipelines = link.pipelines
        self._link = link
        self._canned = canned
        self._figures = figures

    async def enqueue(self, queue_number: int) -> list[str]:
        body = await self._ask("enqueue", b"/api/v1/enqueue", self._canned.single[queue_number])
        return [answers.enqueued(body).job_id]

    async def turn(self, done: list[ClaimedJob], *, wait: bool) -> JobTurn:
        for job in done:
            body = b'{"lease_token":"%s"}' % job.lease_token.encode()
            await self._ask("ack", b"/api/v1/ack/" + job.job_id.encode(), body)
        if done:
            # What is acked counts now, not after a wait for more.
            return JobTurn([job.job_id for job in done], [])
        fetched = await self._ask("fetch", b"/api/v1/fetch", self._canned.fetch)
        return JobTurn([], [answers.fetched_one(fetched)] if fetched else [])

    async def _ask(self, what: str, path: bytes, body: bytes) -> bytes:
        with BenchClock(self._figures, what) as clock:
            status, answer = await self._link.ask(path, body)
            clock.counts = len(answer) > _EMPTY_BYTES
        answers.check(status, answer)
        return answer


class BatchRequests(SingleRequests):
    async def enqueue(self, queue_number: int) -> list[str]:
        body = await self._ask("enqueue", b"/api/v1/enqueue/batch", self._canned.batches[queue_number])
        return answers.enqueued_many(body).job_ids

    async def turn(self, done: list[ClaimedJob], *, wait: bool) -> JobTurn:
        if done:
            body = await self._ask("ack", b"/api/v1/ack/batch", b'{"acks":%s}' % answers.encode(done))
            return JobTurn(_taken(answers.acked_many(body).results), [])
        fetched = await self._ask("fetch", b"/api/v1/fetch/batch", self._canned.fetch_many)
        return JobTurn([], answers.fetched_many(fetched).jobs)


class StreamLines:
    pipelines = True

    def __init__(self, link: BenchLink, canned: Canned, figures: BenchFigures) -> None:
        self._stream = BenchStream(link)
        self._canned = canned
        self._figures = figures

    async def enqueue(self, queue_number: int) -> list[str]:
        with BenchClock(self._figures, "enqueue"):
            said = await self._stream.ask(self._canned.lines[queue_number])
        return conversation.check(said).enqueued_job_ids

    async def turn(self, done: list[ClaimedJob], *, wait: bool) -> JobTurn:
        acks = b'"acks":%s,' % answers.encode(done) if done else b""
        fetch = self._canned.fetch_line if wait or not done else self._canned.fetch_line_now
        with BenchClock(self._figures, "turn") as clock:
            said = await self._stream.ask(acks + fetch)
            clock.counts = bool(said.jobs)
        conversation.check(said)
        if said.acked == len(done):
            return JobTurn([job.job_id for job in done], said.jobs)
        return JobTurn(_taken(said.ack_results), said.jobs)


def _taken(results: list[answers.AckOutcome]) -> list[str]:
    return [result.job_id for result in results if result.status == "ok"]


KINDS: dict[str, type[SingleRequests] | type[BatchRequests] | type[StreamLines]] = {
    "single": SingleRequests,
    "batch": BatchRequests,
    "stream": StreamLines,
}
