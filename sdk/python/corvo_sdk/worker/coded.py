"""A worker's words through a codec: jobs are decoded when they come, results and checkpoints encoded."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from corvo_sdk.codec import CannotDecode, Codec, decoded, encoded
from corvo_sdk.models.claim import Ack, AckResult, Beat, ClaimedJob, Pulse, UndecodedJob
from corvo_sdk.worker.transport import FailReport, HandBack, Transport


class Coded:
    """A Transport around another."""

    def __init__(self, transport: Transport, codec: Codec) -> None:
        self._transport = transport
        self._codec = codec

    @property
    def on_cancel(self) -> Callable[[list[str]], None]:
        return self._transport.on_cancel

    @on_cancel.setter
    def on_cancel(self, listener: Callable[[list[str]], None]) -> None:
        self._transport.on_cancel = listener

    async def fetch(self, queues: Sequence[str], count: int) -> list[ClaimedJob]:
        return [self._decoded(job) for job in await self._transport.fetch(queues, count)]

    def _decoded(self, job: ClaimedJob) -> ClaimedJob:
        try:
            return msgspec.structs.replace(
                job,
                payload=decoded(self._codec, job.payload),
                checkpoint=decoded(self._codec, job.checkpoint),
            )
        except CannotDecode as error:
            members = {name: getattr(job, name) for name in ClaimedJob.__struct_fields__}
            return UndecodedJob(**members, why=str(error))

    async def cut_short(self) -> bool:
        return await self._transport.cut_short()

    async def ack(self, acks: Sequence[Ack]) -> list[AckResult]:
        return await self._transport.ack(
            [
                msgspec.structs.replace(
                    ack,
                    result=encoded(self._codec, ack.result),
                    checkpoint=encoded(self._codec, ack.checkpoint),
                )
                for ack in acks
            ]
        )

    async def fail(self, failure: FailReport) -> None:
        await self._transport.fail(failure)

    async def release(self, back: HandBack) -> None:
        checkpoint = encoded(self._codec, back.checkpoint)
        await self._transport.release(HandBack(back.job_id, back.lease_token, back.after, checkpoint))

    async def heartbeat(self, beats: Mapping[str, Beat]) -> Mapping[str, Pulse]:
        return await self._transport.heartbeat(
            {
                job_id: msgspec.structs.replace(beat, checkpoint=encoded(self._codec, beat.checkpoint))
                for job_id, beat in beats.items()
            }
        )

    async def close(self) -> None:
        await self._transport.close()
