"""From what a handler did to what the server is told."""

import asyncio
import traceback
from dataclasses import dataclass
from typing import Any

import msgspec

from corvo_sdk.models.claim import Ack
from corvo_sdk.worker.held import Held
from corvo_sdk.worker.transport import FailReport, HandBack
from corvo_sdk.worker.verdicts import Dead, ExitChain, Hold, JobCancelled, Release, Retry

#: The end of a backtrace says more than its beginning, and the server cuts at the end.
_BACKTRACE_CHARS_MAX = 30_000
#: The server cuts longer ones, and refuses requests that hold much more.
_ERROR_CHARS_MAX = 16_000
_REASON_CHARS_MAX = 1_000


#: What the server is told; None if there is nothing to say, because the lease is gone.
Said = Ack | FailReport | HandBack | None


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
            case FailReport():
                return "fail"
            case HandBack():
                return "release"
        return "lost"


def of_result(held: Held, result: Any) -> Ack | FailReport:
    """The handler returned."""
    ack = Ack(job_id=held.job.job_id, lease_token=held.token)
    if result is None:
        return ack
    try:
        raw = msgspec.Raw(msgspec.json.encode(result))
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        # The same handler would return the same thing again, so trying again would not help.
        return _failure(held, Dead(f"the handler returned what is not JSON: {error}"), retry=False)
    return msgspec.structs.replace(ack, result=raw)


def unreadable(held: Held, why: str) -> FailReport:
    """There is no handler to ask. Trying again would not help: the job is for somebody to look at."""
    text = f"the job cannot be read in Python: {why}"
    return FailReport(held.job.job_id, held.token, text, retry=False)


def of_error(held: Held, error: BaseException) -> Said:
    """The handler raised. Whatever it was, there is something to say of it that can be said."""
    try:
        return _of_error(held, error)
    except Exception as trouble:
        # The error has one of its own. Its job must not wait for ever all the same.
        text = f"{type(error).__name__}, and it cannot be told: {type(trouble).__name__}"
        return FailReport(held.job.job_id, held.token, text)


def _of_error(held: Held, error: BaseException) -> Said:
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
            return _released(held, error)
        case Hold():
            return Ack(
                job_id=job.job_id, lease_token=held.token, ack_status="hold", hold_reason=_reason(str(error))
            )
        case ExitChain():
            return _leaving(of_result(held, error.result), error.reason)
    return _failure(held, error)


def _released(held: Held, release: Release) -> HandBack | FailReport:
    checkpoint = None
    if release.checkpoint is not None:
        try:
            checkpoint = msgspec.Raw(msgspec.json.encode(release.checkpoint))
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            # Handed back without it the job would begin anew, and nobody would know why.
            return _failure(held, TypeError(f"the checkpoint of Release is not JSON: {error}"))
    return HandBack(held.job.job_id, held.token, release.after, checkpoint)


def _leaving(said: Ack | FailReport, reason: str | None) -> Ack | FailReport:
    if isinstance(said, FailReport):
        return said
    reason = None if reason is None else _reason(str(reason))
    return msgspec.structs.replace(said, step_status="exit", exit_reason=reason)


def _failure(held: Held, error: BaseException, *, retry: bool = True, after: Any = None) -> FailReport:
    verdict = isinstance(error, Retry | Dead)
    text = str(error) if verdict else f"{type(error).__name__}: {error}"
    trace = "" if verdict and error.__cause__ is None else "".join(traceback.format_exception(error))
    trace = _sayable(trace[-_BACKTRACE_CHARS_MAX:])
    return FailReport(
        held.job.job_id, held.token, _sayable(text[:_ERROR_CHARS_MAX]), trace or None, retry, after
    )


def _reason(text: str) -> str:
    return _sayable(text)[:_REASON_CHARS_MAX]


def _sayable(text: str) -> str:
    """Names of files and the like may hold what is no character; JSON cannot carry it."""
    return text.encode(errors="backslashreplace").decode()
