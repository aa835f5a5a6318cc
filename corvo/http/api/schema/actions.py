"""Bodies of the actions on single jobs."""

from typing import Annotated

import msgspec
from msgspec import Meta

from corvo.core.limits import REASON_CHARS_MAX

ReasonText = Annotated[str, Meta(max_length=REASON_CHARS_MAX)]


class ReasonRequest(msgspec.Struct, forbid_unknown_fields=True):
    reason: ReasonText | None = None


class MoveRequest(msgspec.Struct, forbid_unknown_fields=True):
    queue: str | None = None


class PriorityRequest(msgspec.Struct, forbid_unknown_fields=True):
    priority: str | int | None = None


class StatusBody(msgspec.Struct):
    status: str
