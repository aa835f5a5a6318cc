"""Bodies of the job endpoints."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo.actors.events.messages import Rates
from corvo.actors.state.questions import Explained
from corvo.core.clock import NS_PER_MS, NS_PER_S
from corvo.core.namespace import Qualified, name_of
from corvo.core.states import JobState
from corvo.core.times import format_time_ns
from corvo.core.worker import Worker
from corvo.http.api.schema.job import JobBody

#: A worker heard of within this time still listens: a long-poll lasts up to a minute.
_LISTENING_NS = 90 * NS_PER_S


class BulkGetRequest(msgspec.Struct, forbid_unknown_fields=True):
    job_ids: list[Annotated[str, Meta(max_length=64)]] | None = None


class BulkGetResponse(msgspec.Struct):
    jobs: list[JobBody]


class ReasonBody(msgspec.Struct, omit_defaults=True):
    code: str
    text: str
    until: str | UnsetType = UNSET


class ExplainBody(msgspec.Struct, omit_defaults=True):
    state: str
    reasons: list[ReasonBody]
    #: A guess at when a worker gets it, from the pace of the last minute.
    eta_ms: int | UnsetType = UNSET


def explain_body(
    explained: Explained, workers: list[Worker], rates: Rates | None, now_ns: int
) -> ExplainBody:
    job = explained.job
    body = ExplainBody(
        job.state.label,
        [
            ReasonBody(
                reason.code,
                reason.text,
                UNSET if reason.until_ns is None else format_time_ns(reason.until_ns),
            )
            for reason in explained.reasons
        ],
    )
    if job.state is JobState.PENDING and not _is_listened_to(job.queue, workers, now_ns):
        # No time can be told: it waits for a worker to come.
        body.reasons.append(ReasonBody("no_worker", f"no worker listens to queue {name_of(job.queue)}"))
    else:
        body.eta_ms = _eta_ms(explained, rates, now_ns)
    return body


def _is_listened_to(queue: Qualified, workers: list[Worker], now_ns: int) -> bool:
    return any(queue in worker.queues and worker.last_seen_ns > now_ns - _LISTENING_NS for worker in workers)


def _eta_ms(explained: Explained, rates: Rates | None, now_ns: int) -> int | UnsetType:
    waits = [reason.until_ns for reason in explained.reasons if reason.until_ns is not None]
    if explained.job.state in (JobState.SCHEDULED, JobState.RETRYING) and waits:
        return max(0, (waits[0] - now_ns) // NS_PER_MS)
    codes = {reason.code for reason in explained.reasons}
    if explained.job.state is not JobState.PENDING or codes & {"paused", "dependencies"}:
        return UNSET
    if not explained.ahead:
        return max([0, *((until - now_ns) // NS_PER_MS for until in waits)])
    per_minute = 0.0 if rates is None else rates.minute[1]
    return UNSET if per_minute < 1 else int(explained.ahead / per_minute * 60_000)
