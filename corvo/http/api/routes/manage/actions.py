"""What people do to single jobs (SPEC 2.12). The state machine has the table of what is possible when."""

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
from corvo.http.api.schema.enqueue import parse_priority, queue_name
from corvo.http.serve.context import Context
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response
from corvo.ops.job_admin import Act, Action
from corvo.ops.results import Acted

_encode = msgspec.json.Encoder().encode


async def _act(request: Request, ctx: Context, op: Act, status: str | None = None) -> Response:
    """Do it, and answer with the word given, else with the state the job is in now."""
    acted, written = await ctx.submit_one(request, op, OP_OVERHEAD_BYTES)
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
async def retry(request: Request, ctx: Context) -> Response:
    """Run a dead, cancelled, completed or scheduled job again, from its first attempt."""
    return await _act(request, ctx, Act(Action.RETRY, request.params["job_id"]), "retried")


@route(
    "POST /api/v1/jobs/{job_id}/cancel",
    needs="jobs:cancel",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, CancelRefused),
)
async def cancel(request: Request, ctx: Context) -> Response:
    """Cancel a job. The worker of an active one learns it by its next heartbeat."""
    op = Act(Action.CANCEL, request.params["job_id"])
    acted, written = await ctx.submit_one(request, op, OP_OVERHEAD_BYTES)
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
async def hold(request: Request, ctx: Context) -> Response:
    """Keep a job from running until somebody approves it."""
    reason = decode(request.body, ReasonRequest).reason
    return await _act(request, ctx, Act(Action.HOLD, request.params["job_id"], reason=reason))


@route(
    "POST /api/v1/jobs/{job_id}/approve",
    needs="jobs:approve",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, ApproveRefused),
)
async def approve(request: Request, ctx: Context) -> Response:
    """Let a held job go on."""
    return await _act(request, ctx, Act(Action.APPROVE, request.params["job_id"]))


@route(
    "POST /api/v1/jobs/{job_id}/reject",
    needs="jobs:reject",
    body=ReasonRequest,
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, RejectRefused),
)
async def reject(request: Request, ctx: Context) -> Response:
    """Give up a held job."""
    reason = decode(request.body, ReasonRequest).reason
    return await _act(request, ctx, Act(Action.REJECT, request.params["job_id"], reason=reason))


@route(
    "POST /api/v1/jobs/{job_id}/move",
    needs="jobs:move",
    body=MoveRequest,
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, MoveRefused),
)
async def move(request: Request, ctx: Context) -> Response:
    """Move a job that is not active to another queue."""
    queue = queue_name(decode(request.body, MoveRequest).queue)
    return await _act(request, ctx, Act(Action.MOVE, request.params["job_id"], queue=queue), "moved")


@route(
    "POST /api/v1/jobs/{job_id}/priority",
    needs="jobs:write",
    body=PriorityRequest,
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, PriorityRefused),
)
async def change_priority(request: Request, ctx: Context) -> Response:
    """Change the priority of a job that has not been handed out yet."""
    given = decode(request.body, PriorityRequest).priority
    if given is None or given == "":
        raise ValidationFailed("priority is required")
    op = Act(Action.CHANGE_PRIORITY, request.params["job_id"], priority=parse_priority(given))
    return await _act(request, ctx, op, "changed")


@route(
    "DELETE /api/v1/jobs/{job_id}",
    needs="jobs:delete",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound),
)
async def delete(request: Request, ctx: Context) -> Response:
    """Remove a job in whatever state it is."""
    return await _act(request, ctx, Act(Action.DELETE, request.params["job_id"]), "deleted")
