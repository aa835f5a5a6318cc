# Made from corvo_sdk/aio/protocol.py by make_sync.py: change that file, then run `make sdk`.
"""The worker protocol, call by call. `Worker` speaks it for you.

Acks, fails and releases that carry a lease token may be sent again: the server answers the second like the
first. A fetch may not: jobs handed out in an answer that was lost stay leased until their lease runs out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from corvo_sdk.call import Again, Call, path
from corvo_sdk.durations import Duration, as_text
from corvo_sdk.errors import CorvoError
from corvo_sdk.models.claim import (
    Ack,
    Acked,
    AckedMany,
    Beat,
    ClaimedJob,
    Failed,
    Pulses,
    Released,
    read_claims,
    read_failed,
)
from corvo_sdk.sync.connection import Connection

T = TypeVar("T")


class Protocol:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def fetch(
        self,
        queues: Sequence[str],
        *,
        count: int = 1,
        wait_s: int = 30,
        lease_s: int = 60,
        worker_id: str = "",
        hostname: str = "",
        patient: bool = True,
    ) -> list[ClaimedJob]:
        """Claim up to `count` jobs, waiting for the first; none when the time is over.

        A job whose payload Python cannot hold comes as an UnreadableJob, which says why.
        """
        body = {
            "queues": queues,
            "count": count,
            "timeout": wait_s,
            "lease_duration": lease_s,
            "worker_id": worker_id,
            "hostname": hostname,
        }
        call = Call(
            "POST", path("fetch", "batch"), bytes, body, again=Again.NEVER, wait_s=wait_s, patient=patient
        )
        return self._connection.opened(_read(read_claims, self._connection.send(call)))

    def ack(self, ack: Ack) -> Acked:
        return self._connection.send(Call("POST", path("ack", ack.job_id), Acked, _members(ack)))

    def ack_many(self, acks: Sequence[Ack], *, patient: bool = True) -> AckedMany:
        """Up to 512. Those that cannot be acked are reported, not refused."""
        body = {"acks": acks}
        return self._connection.send(Call("POST", path("ack", "batch"), AckedMany, body, patient=patient))

    def fail(
        self,
        job_id: str,
        error: str,
        *,
        lease_token: str | None = None,
        backtrace: str | None = None,
        retry: bool = True,
        retry_after: Duration | None = None,
        patient: bool = True,
    ) -> Failed:
        """The attempt failed. `retry=False` gives the job up, `retry_after` replaces its backoff."""
        body: dict[str, Any] = {"error": error, "backtrace": backtrace, "lease_token": lease_token}
        if not retry:
            body["retry"] = False
        if retry_after is not None:
            body["retry_after"] = as_text(retry_after)
        call = Call("POST", path("fail", job_id), bytes, body, patient=patient)
        return self._connection.opened(_read(read_failed, self._connection.send(call)))

    def release(
        self,
        job_id: str,
        *,
        lease_token: str | None = None,
        delay: Duration | None = None,
        checkpoint: Any = None,
        patient: bool = True,
    ) -> Released:
        """Hand the job back; this attempt does not count."""
        body: dict[str, Any] = {"lease_token": lease_token}
        if delay is not None:
            body["delay"] = as_text(delay)
        if checkpoint is not None:
            body["checkpoint"] = checkpoint
        return self._connection.send(Call("POST", path("release", job_id), Released, body, patient=patient))

    def heartbeat(self, beats: Mapping[str, Beat], *, patient: bool = True) -> Pulses:
        """Keep the leases of these jobs, and learn which to drop."""
        return self._connection.send(
            Call("POST", path("heartbeat"), Pulses, {"jobs": beats}, patient=patient)
        )


def _members(ack: Ack) -> dict[str, Any]:
    """All but the id, which is in the path."""
    members = msgspec.structs.asdict(ack).items()
    return {name: value for name, value in members if name != "job_id" and value is not msgspec.UNSET}


def _read(how: Callable[[bytes], T], answer: bytes) -> T:
    try:
        return how(answer)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise CorvoError(f"cannot read the answer: {error}") from error
