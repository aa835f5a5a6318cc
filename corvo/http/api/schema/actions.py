"""Bodies of what people do to jobs."""

from typing import Annotated

import msgspec
from msgspec import Meta

from corvo.core.limits import REASON_CHARS_MAX

Reason = Annotated[str, Meta(max_length=REASON_CHARS_MAX)]


class ReasonRequest(msgspec.Struct):
    reason: Reason | None = None


class MoveRequest(msgspec.Struct):
    queue: str | None = None


class PriorityRequest(msgspec.Struct):
    priority: str | int | None = None


class StatusBody(msgspec.Struct):
    status: str
