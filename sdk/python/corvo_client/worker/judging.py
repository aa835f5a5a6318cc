"""From what a handler did to what the server is told."""

import asyncio
import traceback
from dataclasses import dataclass
from typing import Any

import msgspec

from corvo_client.models.claim import Ack
from corvo_client.worker.held import Held
from corvo_client.worker.transport import Failure, HandBack
from corvo_client.worker.verdicts import Dead, ExitChain, Hold, JobCancelled, Release, Retry

#: The end of a backtrace says more than its beginning, and the server cuts at the end.
_BACKTRACE_CHARS_MAX = 30_000


#: What the server is told; None if there is nothing to say, because the lease is gone.
Said = Ack | Failure | HandBack | None


@dataclass(frozen=True, slots=True)
class Decided:
    """A handler is through."""

    held: Held
    said: Said
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        match self.said:
            case Ack(ack_status="hold"):
                return "hold"
            case Ack():
                return "ack"
            case Failure():
                return "fail"
            case HandBack():
                return "release"
        return "lost"


def of_result(held: Held, result: Any) -> Ack | Failure:
    """The handler returned."""
    ack = Ack(job_id=held.job.job_id, lease_token=held.token)
    if result is None:
        return ack
    try:
        raw = msgspec.Raw(msgspec.json.encode(result))
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        # The same handler would return the same thing again, so trying again would not help.
        return _failure(held, Dead(f"the handler returned what is not JSON: {error}"), retry=False)
    return msgspec.structs.replace(ack, result=raw)


def of_error(held: Held, error: BaseException) -> Said:
    """The handler raised."""
    job = held.job
    match error:
        case JobCancelled() | asyncio.CancelledError() if held.lost is not None or held.left:
            return None
        case asyncio.CancelledError() if held.stopping:
            return HandBack(job.job_id, held.token)
        case Retry():
            return _failure(held, error, after=error.after)
        case Dead():
            return _failure(held, error, retry=False)
        case Release():
            return HandBack(job.job_id, held.token, error.after, error.checkpoint)
        case Hold():
            return Ack(
                job_id=job.job_id, lease_token=held.token, ack_status="hold", hold_reason=str(error)[:1_000]
            )
        case ExitChain():
            return _leaving(of_result(held, error.result), error.reason)
    return _failure(held, error)


def _leaving(said: Ack | Failure, reason: str | None) -> Ack | Failure:
    if isinstance(said, Failure):
        return said
    return msgspec.structs.replace(said, step_status="exit", exit_reason=reason)


def _failure(held: Held, error: BaseException, *, retry: bool = True, after: Any = None) -> Failure:
    verdict = isinstance(error, Retry | Dead)
    text = str(error) if verdict else f"{type(error).__name__}: {error}"
    trace = "" if verdict and error.__cause__ is None else "".join(traceback.format_exception(error))
    return Failure(held.job.job_id, held.token, text, trace[-_BACKTRACE_CHARS_MAX:] or None, retry, after)
