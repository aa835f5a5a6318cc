"""As much of the server's answers as the bench needs; the rest is skipped, which is cheap."""

import msgspec

from corvo.cli.problems import ApiError, Unreachable


class Claimed(msgspec.Struct):
    """A job as fetched; encoded, it is an ack of it."""

    job_id: str
    lease_token: str


class AckResult(msgspec.Struct):
    job_id: str
    status: str


class Enqueued(msgspec.Struct):
    job_id: str


class EnqueuedMany(msgspec.Struct):
    job_ids: list[str]


class FetchedMany(msgspec.Struct):
    jobs: list[Claimed]


class AckedMany(msgspec.Struct):
    results: list[AckResult]


class Refusal(msgspec.Struct):
    error: str = ""
    code: str = ""
    retry_after_ms: float = 20.0


class Line(msgspec.Struct):
    """An answer on the stream, or a word of the server's own."""

    request_id: int | None = None
    enqueued_job_ids: list[str] = []
    enqueue_results: list[AckResult] = []
    acked: int = 0
    ack_results: list[AckResult] = []
    jobs: list[Claimed] = []
    error: str | None = None
    code: str | None = None
    retry_after_ms: float = 20.0


encode = msgspec.json.Encoder().encode
enqueued = msgspec.json.Decoder(Enqueued).decode
enqueued_many = msgspec.json.Decoder(EnqueuedMany).decode
fetched_one = msgspec.json.Decoder(Claimed).decode
fetched_many = msgspec.json.Decoder(FetchedMany).decode
acked_many = msgspec.json.Decoder(AckedMany).decode
line = msgspec.json.Decoder(Line).decode


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
        refusal = msgspec.json.decode(body, type=Refusal)
    except msgspec.MsgspecError:
        raise Unreachable(f"what answered {status} does not speak Corvo's API") from None
    if status in (429, 503):
        raise Later(refusal.retry_after_ms / 1_000)
    raise ApiError(status, {"error": refusal.error, "code": refusal.code})
