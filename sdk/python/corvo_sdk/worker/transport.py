"""How a worker talks to the server: the words, and the plainest way to say them, which is long-poll."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.aio.protocol import AsyncProtocol
from corvo_sdk.durations import Duration
from corvo_sdk.models.claim import Ack, AckResult, Beat, ClaimedJob, Pulse


@dataclass(frozen=True, slots=True)
class FailReport:
    """This attempt failed."""

    job_id: str
    lease_token: str
    error: str
    backtrace: str | None = None
    retry: bool = True
    retry_after: Duration | None = None


@dataclass(frozen=True, slots=True)
class HandBack:
    """Somebody else shall do it."""

    job_id: str
    lease_token: str
    after: Duration | None = None
    checkpoint: object = None


class Transport(Protocol):
    """Raises a CorvoError: Unavailable if it may be said again later, anything else if it is refused."""

    #: Called with the ids of jobs that the server takes away, if it says so by itself.
    on_cancel: Callable[[list[str]], None]

    async def fetch(self, queues: Sequence[str], count: int) -> list[ClaimedJob]:
        """Up to `count` jobs, waiting a while for the first."""

    async def cut_short(self) -> bool:
        """Have fetches that wait answered now. False if there is no way to ask for that."""

    async def ack(self, acks: Sequence[Ack]) -> list[AckResult]:
        """At most ACKS_MAX at once; a result for each."""

    async def fail(self, failure: FailReport) -> None: ...

    async def release(self, back: HandBack) -> None: ...

    async def heartbeat(self, beats: Mapping[str, Beat]) -> Mapping[str, Pulse]:
        """At most BEATS_MAX at once, by job id."""

    async def close(self) -> None: ...


#: What fits into one request.
FETCH_MAX = 512
ACKS_MAX = 512
BEATS_MAX = 1_000


def new_worker_id() -> str:
    """Says where it runs, and is never the same twice."""
    return f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"


class LongPoll:
    """fetch/batch, ack/batch, fail, release and heartbeat, over connections that are kept open."""

    def __init__(
        self, connection: AsyncConnection, worker_id: str, *, lease_s: int, wait_s: int = 30
    ) -> None:
        self._connection = connection
        self._protocol = AsyncProtocol(connection)
        self._worker_id = worker_id
        self._hostname = socket.gethostname()
        self._lease_s = lease_s
        self._wait_s = wait_s
        self.on_cancel: Callable[[list[str]], None] = lambda job_ids: None  # noqa: ARG005 - heartbeats tell

    # Nothing here is patient: the loops that call have their own patience, and know what else is to be done.

    async def fetch(self, queues: Sequence[str], count: int) -> list[ClaimedJob]:
        return await self._protocol.fetch(
            queues,
            count=min(count, FETCH_MAX),
            wait_s=self._wait_s,
            lease_s=self._lease_s,
            worker_id=self._worker_id,
            hostname=self._hostname,
            patient=False,
        )

    async def cut_short(self) -> bool:
        return False

    async def ack(self, acks: Sequence[Ack]) -> list[AckResult]:
        return (await self._protocol.ack_many(acks, patient=False)).results

    async def fail(self, failure: FailReport) -> None:
        await self._protocol.fail(
            failure.job_id,
            failure.error,
            lease_token=failure.lease_token,
            backtrace=failure.backtrace,
            retry=failure.retry,
            retry_after=failure.retry_after,
            patient=False,
        )

    async def release(self, back: HandBack) -> None:
        await self._protocol.release(
            back.job_id,
            lease_token=back.lease_token,
            delay=back.after,
            checkpoint=back.checkpoint,
            patient=False,
        )

    async def heartbeat(self, beats: Mapping[str, Beat]) -> Mapping[str, Pulse]:
        return (await self._protocol.heartbeat(beats, patient=False)).jobs

    async def close(self) -> None:
        await self._connection.aclose()
