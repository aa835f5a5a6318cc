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

from corvo.actors.access.messages import AccessChanged
from corvo.core.access.principal import NOBODY, OPEN, Principal
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import AccessUnknown, CorvoError, Forbidden, Unauthorized, ValidationFailed
from corvo.core.namespace import ALL, DEFAULT, Reach, is_namespace
from corvo.http.serve.access import credentials
from corvo.http.serve.access.keyring import Holder, Keyring
from corvo.http.serve.route import PUBLIC
from corvo.http.wire.message import Request

log = structlog.get_logger()

#: How often at most a key's use is passed on to be noted.
_NOTE_EVERY_NS = 60 * NS_PER_S


class AccessControl:
    def __init__(self, clock: Clock, own: list[Holder], *, may_be_open: bool) -> None:
        """`may_be_open` says whether a request without a credential may be served at all, as long as there
        is no key: only on loopback, or where the operator asked for it."""
        self._clock = clock
        self._own = own
        #: Told of a key and when it was used, at most once a minute for each.
        self.note_use: Callable[[str, int], None] = lambda _key_id, _at_ns: None
        self._may_be_open = may_be_open
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

    def learn(self, news: AccessChanged) -> None:
        """Keys and roles as they are now. Requests that last are judged again."""
        # A first key that the cluster has taken in is the cluster's from then on: it can be revoked.
        known = {key.id for key in news.keys}
        self._own = [holder for holder in self._own if holder.key_id not in known]
        self._keyring = Keyring(news, self._own)
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

    # Deciding

    def admit(self, needs: str, request: Request) -> None:
        """Raises if the request may not go on. Else its principal, namespace and reach are set."""
        is_public = needs is PUBLIC
        principal = self._principal(request, needed=not is_public)
        request.principal = principal
        if not is_public and not principal.may(needs):
            raise _forbidden(principal, needs)
        request.needs = needs
        chosen = request.headers.get(b"x-corvo-namespace")
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
        keyring = self._keyring
        if keyring is None or not self.is_settled:
            raise AccessUnknown("this node does not know yet which keys count", retry_after_ms=500)
        if not keyring.is_shut and self._may_be_open:
            return OPEN
        if not self.is_current():
            # Better nobody than one whose key was revoked elsewhere.
            raise AccessUnknown("this node has lost the others, and the keys with them", retry_after_ms=500)
        digest = credentials.digest_shown(request)
        if digest is None:
            raise Unauthorized("this node wants a credential, and the request has none")
        now_ns = self._clock.now_ns()
        holder = keyring.find(digest, now_ns)
        if holder is None:
            raise credentials.why_not(request)
        self._note(holder, now_ns)
        return holder.principal

    def _note(self, holder: Holder, now_ns: int) -> None:
        noted_ns = self._noted_ns.get(holder.key_id)
        if noted_ns is None or now_ns - noted_ns >= _NOTE_EVERY_NS:
            self._noted_ns[holder.key_id] = now_ns
            self.note_use(holder.key_id, now_ns)

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
