"""Session book: which session a cookie is of, and whom that stands for now.

    Cookie: corvo_session=...  -> [session book] -> Holder

It is kept up to date entry by entry, so a session that was ended counts no longer as soon as this node has
applied the entry that says so.
"""

import secrets
from hmac import compare_digest
from typing import Final

from msgspec.structs import replace

from corvo.actors.access.messages import SessionsChanged
from corvo.core.access.session import LIFE_NS, LoginSession, csrf_of, hash_of_token
from corvo.core.clock import NS_PER_S
from corvo.core.errors import CsrfRefused
from corvo.http.serve.access.identities import principal_of
from corvo.http.serve.access.keyring import Holder, Keyring
from corvo.http.wire.message import Request

COOKIE: Final = b"corvo_session"
#: Requests that change nothing need no token of their own.
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class SessionBook:
    def __init__(self) -> None:
        self._by_id: dict[str, LoginSession] = {}
        self._by_hash: dict[bytes, LoginSession] = {}
        #: Made when first asked for; gone when a key, a role or a setting changes.
        self._holders: dict[str, Holder | None] = {}

    def learn(self, news: SessionsChanged) -> None:
        if news.all:
            self._by_id.clear()
            self._by_hash.clear()
            self._holders.clear()
        for session_id, session in news.sessions.items():
            known = self._by_id.pop(session_id, None)
            self._holders.pop(session_id, None)
            if known is not None:
                self._by_hash.pop(known.hash, None)
            if session is not None:
                self._by_id[session_id] = self._by_hash[session.hash] = session

    def forget_holders(self) -> None:
        self._holders.clear()

    def get(self, session_id: str) -> LoginSession | None:
        return self._by_id.get(session_id)

    def find(self, token: bytes, keyring: Keyring, now_ns: int) -> Holder | None:
        """Whom the session of this token stands for, if it counts."""
        digest = hash_of_token(token)
        session = self._by_hash.get(digest)
        if session is None or not compare_digest(session.hash, digest) or now_ns >= session.until_ns:
            return None
        if session.id not in self._holders:
            self._holders[session.id] = _holder(session, keyring)
        holder = self._holders[session.id]
        return holder if holder is not None and holder.counts(now_ns) else None


def _holder(session: LoginSession, keyring: Keyring) -> Holder | None:
    if session.secret is not None:
        # At whatever time: until when it counts is asked each time.
        holder = keyring.find(session.secret, 0)
        if holder is None:
            return None
        principal, until_ns = holder.principal, holder.until_ns
    else:
        assert session.identity is not None
        if session.identity.issuer != keyring.sso.issuer or not keyring.sso.has_oidc:
            return None
        principal, until_ns = principal_of(session.identity, keyring.sso, keyring.roles), None
    return Holder(session.id, replace(principal, session_id=session.id), session.hash, until_ns)


# Cookies


def new_token() -> str:
    return secrets.token_urlsafe(32)


def token_in(request: Request) -> bytes | None:
    """The session token that a browser sends. Of two cookies of that name the first counts."""
    return cookie_in(request, COOKIE)


def cookie_in(request: Request, name: bytes) -> bytes | None:
    header = request.headers.get(b"cookie")
    if header is None or name not in header:
        return None
    for part in header.split(b";"):
        found, equals, value = part.strip().partition(b"=")
        if equals and found == name:
            return value.strip() or None
    return None


def cookie_of(token: str, *, secure: bool) -> tuple[bytes, bytes]:
    """Sets the cookie; with an empty token, has the browser forget it."""
    life_s = LIFE_NS // NS_PER_S if token else 0
    text = f"corvo_session={token}; Path=/; Max-Age={life_s}; HttpOnly; SameSite=Strict"
    return b"set-cookie", (text + "; Secure" if secure else text).encode()


def check_csrf(request: Request, secret: bytes) -> None:
    """A browser sends its cookie whoever asks it to; only our own page knows this token."""
    if request.method in _SAFE:
        return
    sent = request.headers.get(b"x-corvo-csrf", b"")
    if not compare_digest(sent, csrf_of(secret).encode()):
        raise CsrfRefused(
            "a change by a session needs the header X-Corvo-CSRF with the token that GET /auth/whoami gives"
        )
