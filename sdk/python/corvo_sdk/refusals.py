"""Refusals: from an answer of the server to the error it stands for."""

from typing import Any

from corvo_sdk.errors import (
    BY_CODE,
    BadRequest,
    Conflict,
    CorvoError,
    Forbidden,
    NotFound,
    Unauthorized,
    Unavailable,
)


def refusal_of(status: int, facts: dict[str, Any]) -> CorvoError:
    """The error that an answer stands for."""
    code = str(facts.get("code", ""))
    kind = BY_CODE.get(code) or _by_status(status, is_coded=bool(code))
    return kind(str(facts.get("error") or f"the server answered {status}"), status=status, facts=facts)


def _by_status(status: int, *, is_coded: bool) -> type[CorvoError]:
    """A code this package does not know yet, or an answer without one: from something in between, which
    knows nothing of jobs and requests. Its refusal says nothing about them."""
    if not is_coded and status in _IN_BETWEEN:
        return _IN_BETWEEN[status]
    if status == 404:
        return NotFound
    if status == 409:
        return Conflict
    if status in (429, 502, 503, 504):
        return Unavailable
    return BadRequest if 400 <= status < 500 else CorvoError


_IN_BETWEEN: dict[int, type[CorvoError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: CorvoError,
    405: CorvoError,
    407: Unauthorized,
    408: Unavailable,
}
