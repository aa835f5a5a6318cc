"""Actions on single jobs. What is possible in which state: docs/reference/jobs.md."""

from functools import partial

import msgspec

from corvo.core.errors import (
    ApproveRefused,
    CancelRefused,
    HoldRefused,
    MoveRefused,
    NotFound,
    PriorityRefused,
    RejectRefused,
    RetryRefused,
    ValidationFailed,
)
from corvo.core.states import JobState
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema.actions import MoveRequest, PriorityRequest, ReasonRequest, StatusBody
from corvo.http.api.schema.enqueue import parse_priority
from corvo.http.serve.access.queue_access import queue_for
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.job_admin import Act, Action
from corvo.ops.results import Acted

_encode = msgspec.json.Encoder().encode


def _act(request: Request, op: Act, status: str | None = None) -> WriteIntent:
    """Do it, and answer with the word given, else with the state the job is in now."""
    return WriteIntent((_within(request, op),), OP_OVERHEAD_BYTES, partial(_acted, status))


def _within(request: Request, op: Act) -> Act:
    """The same, but only if the job is one that the client may touch, and with the client's name."""
    by = request.principal.by
    if request.reach is None and not by:
        return op
    return msgspec.structs.replace(op, reach=request.reach, by=by)


def _acted(status: str | None, written: Written) -> Response:
    acted = written.result
    assert isinstance(acted, Acted)
    if status is None:
        status = "deleted" if acted.state is None else acted.state.label
    return written.response(200, _encode(StatusBody(status)))


@route(
    "POST /api/v1/jobs/{job_id}/retry",
    needs="jobs:retry",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, RetryRefused),
)
def retry(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Run a dead, cancelled, completed or scheduled job again, from its first attempt."""
    return _act(request, Act(Action.RETRY, request.params["job_id"]), "retried")


@route(
    "POST /api/v1/jobs/{job_id}/cancel",
    needs="jobs:cancel",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, CancelRefused),
)
def cancel(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Cancel a job. The worker of an active one learns it by its next heartbeat."""
    op = Act(Action.CANCEL, request.params["job_id"])
    return WriteIntent((_within(request, op),), OP_OVERHEAD_BYTES, _cancelled)


def _cancelled(written: Written) -> Response:
    acted = written.result
    assert isinstance(acted, Acted)
    status = "cancelling" if acted.was is JobState.ACTIVE else "cancelled"
    return written.response(200, _encode(StatusBody(status)))


@route(
    "POST /api/v1/jobs/{job_id}/hold",
    needs="jobs:hold",
    body=ReasonRequest,
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, HoldRefused),
)
def hold(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Keep a job from running until it is approved."""
    reason = decode(request, ReasonRequest).reason
    return _act(request, Act(Action.HOLD, request.params["job_id"], reason=reason))


@route(
    "POST /api/v1/jobs/{job_id}/approve",
    needs="jobs:approve",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, ApproveRefused),
)
def approve(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Let a held job go on."""
    return _act(request, Act(Action.APPROVE, request.params["job_id"]))


@route(
    "POST /api/v1/jobs/{job_id}/reject",
    needs="jobs:reject",
    body=ReasonRequest,
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, RejectRefused),
)
def reject(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Give up a held job."""
    reason = decode(request, ReasonRequest).reason
    return _act(request, Act(Action.REJECT, request.params["job_id"], reason=reason))


@route(
    "POST /api/v1/jobs/{job_id}/move",
    needs="jobs:move",
    body=MoveRequest,
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, MoveRefused),
)
def move(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Move a job that is not active to another queue."""
    queue = queue_for(request, decode(request, MoveRequest).queue)
    return _act(request, Act(Action.MOVE, request.params["job_id"], queue=queue), "moved")


@route(
    "POST /api/v1/jobs/{job_id}/priority",
    needs="jobs:write",
    body=PriorityRequest,
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, PriorityRefused),
)
def change_priority(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Change the priority of a job that has not been handed out yet."""
    given = decode(request, PriorityRequest).priority
    if given is None or given == "":
        raise ValidationFailed("priority is required")
    op = Act(Action.CHANGE_PRIORITY, request.params["job_id"], priority=parse_priority(given))
    return _act(request, op, "changed")


@route(
    "DELETE /api/v1/jobs/{job_id}",
    needs="jobs:delete",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound),
)
def delete(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Remove a job in whatever state it is."""
    return _act(request, Act(Action.DELETE, request.params["job_id"]), "deleted")
