"""Sessions of people, and the settings of single sign-on."""

from collections.abc import Iterator

from msgspec.structs import replace

from corvo.core.access.session import NOTED_EVERY_NS, LoginSession, decode_session, encode_session
from corvo.core.access.sso import encode_sso
from corvo.core.errors import AccessRefused, NotFound
from corvo.core.limits import SESSIONS_EACH_MAX, SESSIONS_MAX
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.ops.people import DeleteSession, SetSession, SetSso, TrimSessions
from corvo.ops.results import SessionChanged, SsoSet, Upkept
from corvo.storage import keys


@applies(SetSession)
def set_session(op: SetSession, tx: EntryTx) -> SessionChanged:
    everyone = list(_sessions(tx))
    own = sorted(
        (session for session in everyone if session.owner == op.session.owner),
        key=lambda session: (session.used_ns, session.id),
    )
    if len(own) >= SESSIONS_EACH_MAX:
        _forget(tx, own[0])
    elif len(everyone) >= SESSIONS_MAX:
        raise AccessRefused(f"there are {SESSIONS_MAX} sessions already; end some by DELETE /auth/sessions")
    # Its time is the cluster's, not that of the node at which the person came in.
    _store(tx, replace(op.session, created_ns=tx.now_ns, used_ns=tx.now_ns))
    return SessionChanged(op.session.id)


@applies(DeleteSession)
def delete_session(op: DeleteSession, tx: EntryTx) -> SessionChanged:
    session = _find(tx, op.session_id)
    if session is None:
        raise NotFound(f"session {op.session_id} does not exist, or has ended already")
    _forget(tx, session)
    return SessionChanged(session.id)


@applies(TrimSessions)
def trim_sessions(op: TrimSessions, tx: EntryTx) -> Upkept:
    for session_id, used_ns in op.used_ns.items():
        session = _find(tx, session_id)
        if session is not None and used_ns - session.used_ns >= NOTED_EVERY_NS // 2:
            _store(tx, replace(session, used_ns=used_ns))
    over = [session for session in _sessions(tx) if session.until_ns <= tx.now_ns]
    for session in over:
        _forget(tx, session)
    return Upkept(len(over), more=False)


@applies(SetSso)
def set_sso(op: SetSso, tx: EntryTx) -> SsoSet:
    tx.kv.put(keys.SSO, encode_sso(replace(op.settings, updated_ns=tx.now_ns)))
    tx.access_changed = True
    return SsoSet(tx.now_ns)


def _sessions(tx: EntryTx) -> Iterator[LoginSession]:
    found = tx.kv.scan(keys.SESSION, keys.after(keys.SESSION))
    return (decode_session(value) for _, value in found)


def _find(tx: EntryTx, session_id: str) -> LoginSession | None:
    stored = tx.kv.get(keys.session(session_id))
    return None if stored is None else decode_session(stored)


def _store(tx: EntryTx, session: LoginSession) -> None:
    tx.kv.put(keys.session(session.id), encode_session(session))
    tx.sessions[session.id] = session


def _forget(tx: EntryTx, session: LoginSession) -> None:
    tx.kv.delete(keys.session(session.id))
    tx.sessions[session.id] = None
