"""The worker's words over streams: one for each set of queues that is fetched from."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from corvo_sdk import errors
from corvo_sdk.durations import as_text
from corvo_sdk.models.claim import Ack, AckResult, Beat, ClaimedJob, Pulse
from corvo_sdk.settings import Settings
from corvo_sdk.worker.stream.dialing import Dialing
from corvo_sdk.worker.stream.stream import ItemResult, Stream
from corvo_sdk.worker.transport import FETCH_MAX, FailReport, HandBack

#: The queues of a fetch: its stream's name.
Key = tuple[str, ...]


class Streams:
    """A Transport. What is said of a job is said on the stream it came by, where the server expects it."""

    def __init__(
        self,
        settings: Settings,
        worker_id: str,
        keys: Sequence[Key],
        *,
        lease_s: int,
        wait_s: int = 30,
        http2: bool | None = None,
    ) -> None:
        self._settings = settings
        self._dialing = Dialing(settings, http2)
        self._hello = {
            "worker_id": worker_id,
            "hostname": socket.gethostname(),
            "lease_duration": lease_s,
        }
        self._wait_s = wait_s
        self._streams: dict[Key, Stream] = {}
        self._opening = {key: asyncio.Lock() for key in keys}
        self._first = keys[0]
        #: Which stream a job came by.
        self._home: dict[str, Key] = {}
        self.on_cancel: Callable[[list[str]], None] = lambda job_ids: None  # noqa: ARG005 - until somebody listens

    async def _stream(self, key: Key) -> Stream:
        async with self._opening[key]:
            stream = self._streams.get(key)
            if stream is None or stream.is_broken:
                if stream is not None:
                    await stream.aclose()
                stream = Stream(self._settings, self._taken_away, self._dialing)
                await stream.open(self._hello | {"queues": key})
                self._streams[key] = stream
            return stream

    def _taken_away(self, job_ids: list[str]) -> None:
        for job_id in job_ids:
            self._home.pop(job_id, None)
        self.on_cancel(job_ids)

    async def _ask_home(self, job_id: str, line: dict[str, Any]) -> Any:
        stream = await self._stream(self._home.get(job_id, self._first))
        answer = await stream.ask(line)
        self._home.pop(job_id, None)
        return answer

    # Transport

    async def fetch(self, queues: Sequence[str], count: int) -> list[ClaimedJob]:
        key = tuple(queues)
        stream = await self._stream(key)
        line = {"fetch_count": min(count, FETCH_MAX), "wait_ms": self._wait_s * 1_000}
        answer = await stream.ask(line, self._wait_s)
        self._home |= {job.job_id: key for job in answer.jobs}
        return answer.jobs

    async def cut_short(self) -> bool:
        """A fetch that waits is answered as soon as another line comes."""
        # A copy: another may be opened while these are asked.
        for stream in list(self._streams.values()):
            if not stream.is_broken:
                await stream.ask({})
        return True

    async def ack(self, acks: Sequence[Ack]) -> list[AckResult]:
        by_home: dict[Key, list[Ack]] = {}
        for ack in acks:
            by_home.setdefault(self._home.get(ack.job_id, self._first), []).append(ack)
        by_job: dict[str, AckResult] = {}
        for key, some in by_home.items():
            answer = await (await self._stream(key)).ask({"acks": some})
            by_job |= {result.job_id: result for result in answer.ack_results}
        for ack in acks:
            self._home.pop(ack.job_id, None)
        return [by_job[ack.job_id] for ack in acks]

    async def fail(self, failure: FailReport) -> None:
        item: dict[str, Any] = {
            "job_id": failure.job_id,
            "lease_token": failure.lease_token,
            "error": failure.error,
            "backtrace": failure.backtrace,
            "retry": failure.retry,
        }
        if failure.retry_after is not None:
            item["retry_after"] = as_text(failure.retry_after)
        answer = await self._ask_home(failure.job_id, {"fails": [item]})
        _raise_if_refused(answer.failed)

    async def release(self, back: HandBack) -> None:
        item: dict[str, Any] = {"job_id": back.job_id, "lease_token": back.lease_token}
        if back.after is not None:
            item["delay"] = as_text(back.after)
        if back.checkpoint is not None:
            item["checkpoint"] = back.checkpoint
        answer = await self._ask_home(back.job_id, {"releases": [item]})
        _raise_if_refused(answer.released)

    async def heartbeat(self, beats: Mapping[str, Beat]) -> Mapping[str, Pulse]:
        stream = await self._stream(self._first)
        return (await stream.ask({"heartbeats": beats})).heartbeats if beats else {}

    async def close(self) -> None:
        for stream in list(self._streams.values()):
            await stream.aclose()


def _raise_if_refused(results: list[ItemResult]) -> None:
    for result in results:
        if result.status == "refused":
            kind = errors.BY_CODE.get(result.code or "", errors.Refused)
            raise kind(f"refused: {result.code}")
