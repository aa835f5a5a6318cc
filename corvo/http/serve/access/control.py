"""Access control: the one place that decides whether a request may go on.

    (needs, request) -> [access control] -> request.principal, .namespace, .reach
                                         -> 401, 403, 503

Every way in comes through here before a handler runs or a body is parsed: fast HTTP/1.1, Quart, Granian,
edge processes, each line of a stream, server-sent events. A handler then names queues by `queue_access`, and
jobs by the request's reach, so that it cannot touch what its client may not.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache

import structlog

from corvo.actors.access.messages import AccessChanged, SessionsChanged
from corvo.core.access.principal import NOBODY, OPEN, Principal
from corvo.core.access.session import NOT_BY_SESSION, NOTED_EVERY_NS, csrf_of
from corvo.core.access.sso import NO_SSO, SsoSettings
from corvo.core.clock import Clock
from corvo.core.errors import AccessUnknown, CorvoError, Forbidden, Unauthorized, ValidationFailed
from corvo.core.namespace import ALL, DEFAULT, Reach, is_namespace
from corvo.http.serve.access import credentials
from corvo.http.serve.access.identities import principal_of
from corvo.http.serve.access.keyring import Holder, Keyring
from corvo.http.serve.access.proxy_headers import SUBJECT, ProxyHeaders
from corvo.http.serve.access.sessions import SessionBook, check_csrf, token_in
from corvo.http.serve.access.tokens import TokenBook, looks_like_one
from corvo.http.serve.route import PUBLIC
from corvo.http.serve.tenancy.tenants import Tenants
from corvo.http.wire.message import Request

log = structlog.get_logger()

#: Keys and sessions whose last use is remembered here; sessions come and go.
_NOTED_MAX = 20_000
#: How the names of those begin for whom a proxy vouches.
_BY_PROXY = "saml:"


class AccessControl:
    def __init__(
        self, clock: Clock, own: list[Holder], *, may_be_open: bool, proxies: ProxyHeaders | None = None
    ) -> None:
        """`may_be_open` says whether a request without a credential may be served at all, as long as there
        is no key: only on loopback, or where the operator asked for it."""
        self._clock = clock
        self._own = own
        #: Told of a key and when it was used, at most once a minute for each.
        self.note_use: Callable[[str, int], None] = lambda _key_id, _at_ns: None
        #: The same for sessions.
        self.note_session: Callable[[str, int], None] = lambda _session_id, _at_ns: None
        self.sessions = SessionBook()
        self.tokens = TokenBook()
        self.proxies = proxies or ProxyHeaders([])
        self._may_be_open = may_be_open
        self.tenants = Tenants(clock)
        self._keyring: Keyring | None = None
        #: When each key's use was last passed on.
        self._noted_ns: dict[str, int] = {}
        #: Requests that last, and how to end each when its client may no longer go on.
        self._lasting: dict[int, tuple[Request, Callable[[CorvoError], None]]] = {}
        #: Grows whenever a key or a role changes.
        self.generation = 0
        #: Whether this node has heard of all keys that were revoked more than a moment ago.
        self.is_current: Callable[[], bool] = lambda: True
        self._settled = asyncio.Event()
        self._settled.set()

    # What is known

    @property
    def is_settled(self) -> bool:
        """False while a node that has just joined does not have what the others know."""
        return self._settled.is_set()

    def settle(self, settled: bool) -> None:
        if settled:
            self._settled.set()
        else:
            self._settled.clear()

    async def until_settled(self, wait_s: float) -> None:
        """A client of a node that has just joined is kept waiting for a moment rather than turned away."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), wait_s)

    def learn(self, news: AccessChanged | SessionsChanged) -> None:
        """Keys and roles, or sessions, as they are now. Requests that last are judged again."""
        if isinstance(news, SessionsChanged):
            self.sessions.learn(news)
            if not news.all and None not in news.sessions.values():
                return
        else:
            # A first key that the cluster has taken in is the cluster's from then on: it can be revoked.
            known = {key.id for key in news.keys}
            self._own = [holder for holder in self._own if holder.key_id not in known]
            self._keyring = Keyring(news, self._own)
            self.tenants.learn(news.namespaces)
            self.sessions.forget_holders()
            self.tokens.forget_principals()
        self.generation += 1
        for request, end in list(self._lasting.values()):
            try:
                self.admit(request.needs, request)
            except CorvoError as error:
                end(error)

    @property
    def is_open(self) -> bool:
        """Whether a request needs no credential."""
        keyring = self._keyring
        return keyring is not None and not keyring.is_shut and self._may_be_open

    def holder_of(self, api_key: bytes) -> Holder:
        """Whom an API key stands for. Raises if it counts for nothing."""
        keyring = self._known_keyring()
        holder = keyring.find(credentials.digest_of(api_key), self._clock.now_ns())
        if holder is None:
            raise credentials.why_not_secret(api_key)
        return holder

    def owner_of(self, request: Request) -> str:
        """Whose sessions those of an admitted request's client are."""
        session = self.sessions.get(request.principal.session_id)
        if session is not None:
            return session.owner
        secret = credentials.shown(request)
        return "" if secret is None else credentials.digest_of(secret).hex()

    @property
    def sso(self) -> SsoSettings:
        return NO_SSO if self._keyring is None else self._keyring.sso

    def unverified(self, request: Request) -> bytes | None:
        """The token of a provider that the request shows and that nobody has looked into yet."""
        if not self.sso.has_oidc:
            return None
        secret = credentials.shown(request)
        if secret is None or not looks_like_one(secret):
            return None
        return None if self.tokens.knows(credentials.digest_of(secret), self._clock.now_ns()) else secret

    def csrf_for(self, request: Request) -> str | None:
        """The token that the page of an admitted request has to send with its changes; None if none."""
        secret = self._csrf_secret(request)
        return None if secret is None else csrf_of(secret)

    def _csrf_secret(self, request: Request) -> bytes | None:
        if request.principal.session_id:
            return token_in(request)
        if request.principal.name.startswith(_BY_PROXY):
            return request.principal.name.encode()
        return None

    # Deciding

    def admit(self, needs: str, request: Request) -> None:
        """Raises if the request may not go on. Else its principal, namespace and reach are set."""
        is_public = needs is PUBLIC
        principal = self._principal(request, needed=not is_public)
        request.principal = principal
        if not is_public and not principal.may(needs):
            raise _forbidden(principal, needs)
        request.needs = needs
        if not is_public and (principal.session_id or principal.name.startswith(_BY_PROXY)):
            check_csrf(request, self._csrf_secret(request) or b"")
        chosen = None if is_public else request.headers.get(b"x-corvo-namespace")
        if chosen is None and principal.namespace in (ALL, DEFAULT) and not principal.scope:
            return
        request.namespace = _namespace(principal, chosen)
        request.reach = _reach(request.namespace, principal.scope)

    def may(self, request: Request, permission: str) -> None:
        """Raises if the principal of an admitted request lacks this permission, too."""
        if not request.principal.may(permission):
            raise _forbidden(request.principal, permission)

    def _principal(self, request: Request, *, needed: bool) -> Principal:
        """Who sends the request; where no credential is needed, a client without one is nobody."""
        try:
            return self._identified(request)
        except (Unauthorized, AccessUnknown):
            if needed:
                raise
            return NOBODY

    def _identified(self, request: Request) -> Principal:
        keyring = self._known_keyring()
        if not keyring.is_shut and self._may_be_open:
            return OPEN
        found = self._known(keyring, request, self._clock.now_ns())
        if found is None:
            raise self._why_not(request)
        return found

    def _known_keyring(self) -> Keyring:
        keyring = self._keyring
        if keyring is None or not self.is_settled:
            raise AccessUnknown("this node does not know yet which keys count", retry_after_ms=500)
        if keyring.is_shut and not self.is_current():
            # Better nobody than one whose key was revoked elsewhere.
            raise AccessUnknown("this node has lost the others, and the keys with them", retry_after_ms=500)
        return keyring

    def _known(self, keyring: Keyring, request: Request, now_ns: int) -> Principal | None:
        """Whom the request's credential stands for. A cookie is looked at only if there is no other."""
        if keyring.sso.saml_enabled and SUBJECT in request.headers:
            identity = self.proxies.identity(request)
            if identity is not None:
                return principal_of(identity, keyring.sso, keyring.roles)
        digest = credentials.digest_shown(request)
        if digest is None:
            return self._by_session(keyring, request, now_ns)
        holder = keyring.find(digest, now_ns)
        if holder is None:
            return self.tokens.find(digest, keyring, now_ns) if keyring.sso.has_oidc else None
        self._note(holder.key_id, now_ns, self.note_use)
        return holder.principal

    def _by_session(self, keyring: Keyring, request: Request, now_ns: int) -> Principal | None:
        token = token_in(request)
        holder = None if token is None else self.sessions.find(token, keyring, now_ns)
        if holder is None:
            return None
        self._note(holder.key_id, now_ns, self.note_session)
        return holder.principal

    def _why_not(self, request: Request) -> Unauthorized:
        if credentials.digest_shown(request) is not None:
            return credentials.why_not(request)
        if token_in(request) is not None:
            return Unauthorized("the session is over: log in again")
        if self.sso.saml_enabled and SUBJECT in request.headers:
            return Unauthorized(
                f"X-Corvo-SAML-Subject counts from --trusted-proxies only, not from {request.peer}"
            )
        return Unauthorized("this node wants a credential, and the request has none")

    def _note(self, name: str, now_ns: int, note: Callable[[str, int], None]) -> None:
        noted_ns = self._noted_ns.get(name)
        if noted_ns is None or now_ns - noted_ns >= NOTED_EVERY_NS:
            if len(self._noted_ns) >= _NOTED_MAX:
                self._noted_ns.clear()
            self._noted_ns[name] = now_ns
            note(name, now_ns)

    # Requests that last

    @contextmanager
    def watch(self, request: Request, end: Callable[[CorvoError], None]) -> Iterator[None]:
        """While this lasts, `end` is called as soon as the request's client may no longer go on."""
        self._lasting[id(request)] = (request, end)
        try:
            yield
        finally:
            del self._lasting[id(request)]


def _forbidden(principal: Principal, permission: str) -> Forbidden:
    if principal.session_id and permission in NOT_BY_SESSION:
        return Forbidden(f"{permission} is not for browsers: send an API key instead of a session")
    if permission in principal.permissions:
        bounds = f"the queues {', '.join(principal.scope)}" if principal.scope else "one namespace"
        return Forbidden(f"{permission} concerns the whole cluster, and {principal.name} has {bounds} only")
    return Forbidden(f"{principal.name} has the role {principal.role}, which does not allow {permission}")


def _namespace(principal: Principal, chosen: bytes | None) -> str:
    if chosen is None:
        return DEFAULT if principal.namespace == ALL else principal.namespace
    name = chosen.decode("latin-1")
    if principal.namespace not in (ALL, name):
        raise Forbidden(f"{principal.name} belongs to the namespace {principal.namespace}, not to {name!r}")
    if not is_namespace(name):
        raise ValidationFailed(
            f"X-Corvo-Namespace: {name!r} is not a namespace; it has lower-case letters, digits and inner "
            "hyphens, 63 at most"
        )
    return name


@lru_cache(maxsize=4_096)
def _reach(namespace: str, scope: tuple[str, ...]) -> Reach | None:
    return None if namespace == DEFAULT and not scope else Reach(namespace, scope)
