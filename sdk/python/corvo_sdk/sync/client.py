# Made from corvo_sdk/aio/client.py by make_sync.py: change that file, then run `make sdk`.
"""The client: producers and operators."""

import time
from collections.abc import Generator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from corvo_sdk.call import Call, encode, path, read, write
from corvo_sdk.durations import Duration, as_seconds, as_text
from corvo_sdk.errors import Ended, WaitedTooLong
from corvo_sdk.models.access import Who
from corvo_sdk.models.job import Enqueued, EnqueuedMany, Event, Job
from corvo_sdk.options import JobOptions, chained, new_job
from corvo_sdk.settings import ClientOptions, settings
from corvo_sdk.sync.audit import Audit
from corvo_sdk.sync.batches import Batches
from corvo_sdk.sync.bulk import Bulk
from corvo_sdk.sync.connection import Connection
from corvo_sdk.sync.events import follow
from corvo_sdk.sync.jobs import Jobs
from corvo_sdk.sync.keys import Keys
from corvo_sdk.sync.namespaces import Namespaces
from corvo_sdk.sync.protocol import Protocol
from corvo_sdk.sync.queues import Queues
from corvo_sdk.sync.roles import Roles
from corvo_sdk.sync.schedules import Schedules
from corvo_sdk.sync.server import Server
from corvo_sdk.sync.webhooks import Webhooks

T = TypeVar("T")

#: The longest the server is asked to wait in one request.
_WAIT_S_MAX = 60.0


class Client:
    """A connection to a Corvo server. Safe to share; close it when done, or use it in a `with`.

    Requests that fail for a while are sent again when that is safe: every write carries an Idempotency-Key,
    so it happens once however often it is sent.
    """

    def __init__(self, url: str | None = None, **options: Unpack[ClientOptions]) -> None:
        self._connection = Connection(settings(url, options))
        #: Single jobs: look at them, explain them, act on them, find them.
        self.jobs = Jobs(self._connection)
        #: Many jobs at once, by id or by filter.
        self.bulk = Bulk(self._connection)
        self.queues = Queues(self._connection)
        self.batches = Batches(self._connection)
        self.schedules = Schedules(self._connection)
        self.webhooks = Webhooks(self._connection)
        #: API keys: who may come in.
        self.keys = Keys(self._connection)
        #: Roles: what keys may do.
        self.roles = Roles(self._connection)
        self.namespaces = Namespaces(self._connection)
        #: Who changed what.
        self.audit = Audit(self._connection)
        #: Workers, health, cluster, figures.
        self.server = Server(self._connection)
        #: The worker protocol, for those who build a worker of their own; see `Worker`.
        self.protocol = Protocol(self._connection)

    @property
    def url(self) -> str:
        return self._connection.settings.url

    def whoami(self) -> Who:
        """Who the server takes this client for, and what that one may do."""
        return self._send(read("GET", path("auth", "whoami"), Who))

    # Producing

    def enqueue(
        self,
        queue: str,
        payload: Any = None,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Enqueued:
        """Add a job. `unique_existing` tells whether an older job with the same unique key stood in its way.

        Give an `idempotency_key` of your own, such as an order number, if this program may die and be started
        again between asking and hearing the answer.
        """
        body = new_job(queue, payload, **options)
        return self._send(write("POST", path("enqueue"), Enqueued, body, key=idempotency_key))

    def enqueue_many(
        self,
        jobs: Sequence[Mapping[str, Any]],
        *,
        callback_queue: str | None = None,
        callback_payload: Any = None,
        idempotency_key: str | None = None,
    ) -> EnqueuedMany:
        """Add up to 10,000 jobs, each made by `new_job`, all or none.

        With `callback_queue` they are a batch: when all have ended, one job comes there.
        """
        body: dict[str, Any] = {"jobs": jobs}
        if callback_queue is not None:
            body["batch"] = {"callback_queue": callback_queue, "callback_payload": callback_payload}
        call = write("POST", path("enqueue", "batch"), EnqueuedMany, body, key=idempotency_key)
        return self._send(call)

    def enqueue_chain(
        self,
        steps: Sequence[tuple[str, Any]],
        *,
        on_failure: str | Mapping[str, Any] | None = None,
        on_exit: str | Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[JobOptions],
    ) -> Enqueued:
        """Jobs that follow one another: (queue, payload) each. A step finds what the one before returned in
        its payload under `previous_result`."""
        queue, payload = steps[0]
        body = new_job(queue, payload, **options)
        body["chain"] = chained(steps, {"on_failure": on_failure, "on_exit": on_exit})
        return self._send(write("POST", path("enqueue"), Enqueued, body, key=idempotency_key))

    # Waiting

    def get(self, job_id: str) -> Job:
        """Everything about one job."""
        return self._send(read("GET", path("jobs", job_id), Job))

    def wait(self, job_id: str, timeout: Duration = "60s") -> Job:
        """The job when it has ended, in whatever way. WaitedTooLong if that takes longer."""
        deadline = time.monotonic() + as_seconds(timeout)
        while True:
            left_s = deadline - time.monotonic()
            wait_s = min(max(left_s, 0.0), _WAIT_S_MAX)
            query = {"wait": as_text(wait_s)} if wait_s else {}
            asked = time.monotonic()
            job = self._send(Call("GET", path("jobs", job_id), Job, query=query, wait_s=wait_s))
            if job.ended:
                return job
            if time.monotonic() >= deadline:
                raise WaitedTooLong(f"{job_id} is still {job.state} after {as_seconds(timeout):g} s")
            if time.monotonic() - asked < wait_s / 2:
                # This server does not wait for us, so we look again after a while.
                time.sleep(0.1)

    def result(self, job_id: str, timeout: Duration = "60s") -> Any:
        """What the job's handler returned, when it has. Ended if it did not complete."""
        job = self.wait(job_id, timeout)
        if job.state != "completed":
            raise Ended(f"{job_id} is {job.state}: {job.last_error or 'no error was recorded'}", job)
        return job.result

    def events(
        self,
        *,
        after: int | None = None,
        queues: Sequence[str] = (),
        job_ids: Sequence[str] = (),
        types: Sequence[str] = (),
    ) -> Generator[Event, None, None]:
        """What happens, as it happens, for ever; after a broken connection from the last event seen on.

        `after` is the number of the last event seen: 0 for all there are, nothing for what comes from now on.
        """
        # Names of queues may hold commas.
        names = encode(list(queues)).decode() if queues else ""
        filters = {"queues": names, "job_ids": ",".join(job_ids), "types": ",".join(types)}
        return follow(self._connection, after, {name: text for name, text in filters.items() if text})

    # Life

    def _send(self, call: Call[T]) -> T:
        return self._connection.send(call)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
