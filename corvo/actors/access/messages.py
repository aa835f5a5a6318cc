"""Messages about who may do what. The imperative asks, the past tense tells."""

from corvo.actors.kernel.messages import Message
from corvo.core.access.api_key import ApiKey
from corvo.core.access.role import CustomRole
from corvo.core.access.session import LoginSession
from corvo.core.access.sso import NO_SSO, SsoSettings
from corvo.core.namespace import Namespace


class FindAccess(Message, frozen=True):
    """edge -> fsm: all keys and roles. Answer: AccessChanged."""


class AccessChanged(Message, frozen=True):
    """fsm -> access keeper: how things stand now."""

    #: Whether a credential is needed. Once it is, it always will be.
    is_shut: bool
    keys: list[ApiKey]
    #: Those that were set up, with their quotas.
    namespaces: list[Namespace]
    roles: list[CustomRole]
    sso: SsoSettings = NO_SSO


class SessionsChanged(Message, frozen=True):
    """fsm -> access keeper: sessions as they are now; None for one that is over."""

    sessions: dict[str, LoginSession | None]
    #: Whether these are all there are.
    all: bool = False


class FindSessions(Message, frozen=True):
    """edge -> fsm: all sessions. Answer: SessionsChanged."""


class SessionUsed(Message, frozen=True):
    """edge -> access keeper: this session was used at this time. At most once a minute for a session."""

    session_id: str
    at_ns: int


class KeyUsed(Message, frozen=True):
    """edge -> access keeper: this key was used at this time. At most once a minute for a key."""

    key_id: str
    at_ns: int
