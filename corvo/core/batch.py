"""A batch: jobs that belong together, and a callback job once all of them have ended."""

from typing import Final

import msgspec

from corvo.core.namespace import DEFAULT, Qualified


class Batch(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: str
    created_ns: int
    callback_queue: Qualified | None
    callback_payload: bytes | None
    #: No more jobs may join.
    sealed: bool
    total: int = 0
    pending: int = 0
    succeeded: int = 0
    failed: int = 0
    #: The callback, once it was made: it is made once, whatever happens to the batch's jobs later.
    callback_job_id: str | None = None
    #: When all jobs had ended for the first time.
    ended_ns: int | None = None
    #: Since when it is open and none of its jobs is alive: it may never be sealed.
    idle_ns: int | None = None
    #: Only jobs of this namespace may join.
    namespace: str = DEFAULT

    @property
    def over_ns(self) -> int | None:
        """Since when it need not be kept, unless it is used again."""
        return self.idle_ns if self.ended_ns is None else self.ended_ns


_decoder: Final = msgspec.msgpack.Decoder(Batch)
encode_batch = msgspec.msgpack.Encoder().encode
decode_batch = _decoder.decode
