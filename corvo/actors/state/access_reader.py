"""Access reader: keys, roles, sessions and namespaces, read from the state machine's own store and memory."""

from corvo.actors.access.messages import AccessChanged, SessionsChanged
from corvo.actors.state.questions import NamespaceFound, NamespacesListed
from corvo.core.access.api_key import decode_key
from corvo.core.access.role import decode_role
from corvo.core.access.session import decode_session
from corvo.core.access.sso import NO_SSO, decode_sso
from corvo.core.namespace import DEFAULT, Namespace
from corvo.fsm.state import State
from corvo.storage import keys


def access(state: State) -> AccessChanged:
    store = state.store
    sso = store.get(keys.SSO)
    return AccessChanged(
        is_shut=store.get(keys.SHUT) is not None,
        namespaces=list(state.namespaces.values()),
        keys=[decode_key(value) for _, value in store.scan(keys.API_KEY, keys.after(keys.API_KEY))],
        roles=[decode_role(value) for _, value in store.scan(keys.ROLE, keys.after(keys.ROLE))],
        sso=NO_SSO if sso is None else decode_sso(sso),
    )


def sessions(state: State) -> SessionsChanged:
    found = state.store.scan(keys.SESSION, keys.after(keys.SESSION))
    stored = [decode_session(value) for _, value in found]
    return SessionsChanged({session.id: session for session in stored}, all=True)


def namespace(state: State, name: str) -> NamespaceFound | None:
    known, held = state.namespaces.get(name), state.holdings.get(name)
    if known is None and held is None and name != DEFAULT:
        return None
    queues = {} if held is None else held.queues
    since_ns = min((queue.doc.created_ns for queue in queues.values()), default=0)
    return NamespaceFound(
        namespace=known or Namespace(name, since_ns),
        is_set_up=known is not None,
        queues=len(queues),
        jobs=0 if held is None else held.jobs,
        payload_bytes=0 if held is None else held.payload_bytes,
    )


def namespaces(state: State) -> NamespacesListed:
    names = sorted({DEFAULT, *state.namespaces, *state.holdings})
    found = (namespace(state, name) for name in names)
    return NamespacesListed([each for each in found if each is not None])
