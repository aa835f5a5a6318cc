"""Ops about people: their sessions, and how they sign on."""

from corvo.core.access.session import LoginSession
from corvo.core.access.sso import SsoSettings
from corvo.ops.base import Op, op


@op
class SetSession(Op, frozen=True, tag=85):
    """Begin a session. If its owner has too many, the one unused for longest ends."""

    session: LoginSession


@op
class DeleteSession(Op, frozen=True, tag=86):
    session_id: str


@op
class TrimSessions(Op, frozen=True, tag=87):
    """These sessions were used at these times; those that are over are forgotten."""

    used_ns: dict[str, int]


@op
class SetSso(Op, frozen=True, tag=88):
    """How people sign on, from now on and on every node."""

    settings: SsoSettings
