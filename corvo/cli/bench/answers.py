"""As much of the server's answers as the bench needs; the rest is skipped, which is cheap."""

import msgspec

from corvo.cli.problems import ApiError, Unreachable


class ClaimedJob(msgspec.Struct):
    """A job as fetched; encoded, it is an ack of it."""

    job_id: str
    lease_token: str


class AckOutcome(msgspec.Struct):
    job_id: str
    status: str


class EnqueuedId(msgspec.Struct):
    job_id: str


class EnqueuedIds(msgspec.Struct):
    job_ids: list[str]


class FetchedMany(msgspec.Struct):
    jobs: list[ClaimedJob]


class AckedMany(msgspec.Struct):
    results: list[AckOutcome]


class RefusedAnswer(msgspec.Struct):
    error: str = ""
    code: str = ""
    retry_after_ms: float = 20.0


class LineAnswer(msgspec.Struct):
    """An answer on the stream, or a line of the server's own."""

    request_id: int | None = None
    enqueued_job_ids: list[str] = []
    enqueue_results: list[AckOutcome] = []
    acked: int = 0
    ack_results: list[AckOutcome] = []
    jobs: list[ClaimedJob] = []
    error: str | None = None
    code: str | None = None
    retry_after_ms: float = 20.0


encode = msgspec.json.Encoder().encode
enqueued = msgspec.json.Decoder(EnqueuedId).decode
enqueued_many = msgspec.json.Decoder(EnqueuedIds).decode
fetched_one = msgspec.json.Decoder(ClaimedJob).decode
fetched_many = msgspec.json.Decoder(FetchedMany).decode
acked_many = msgspec.json.Decoder(AckedMany).decode
line = msgspec.json.Decoder(LineAnswer).decode


class Later(Exception):
    """The server is too busy and took nothing of it."""

    def __init__(self, pause_s: float) -> None:
        super().__init__(f"in {pause_s} s")
        self.pause_s = pause_s


def check(status: int, body: bytes) -> None:
    """Raises Later for what may be sent again, else a problem."""
    if status < 400:
        return
    try:
        refusal = msgspec.json.decode(body, type=RefusedAnswer)
    except msgspec.MsgspecError:
        raise Unreachable(f"what answered {status} does not speak Corvo's API") from None
    if status in (429, 503):
        raise Later(refusal.retry_after_ms / 1_000)
    raise ApiError(status, {"error": refusal.error, "code": refusal.code})
