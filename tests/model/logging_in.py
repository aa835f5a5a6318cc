"""Sessions of people, and how they sign on."""

from msgspec.structs import replace

from corvo.core.errors import AccessRefused, NotFound
from corvo.ops.results import SessionChanged, SsoSet, Upkept
from tests.model.letting_in import LettingIn

#: The state machine under test is told to keep to these, too.
SESSIONS_MAX = 5
SESSIONS_EACH_MAX = 2
HOUR_NS = 3_600 * 1_000_000_000


def over_ns(session):
    """Twelve hours after the last use, seven days after the first."""
    return min(session.used_ns + 12 * HOUR_NS, session.created_ns + 7 * 24 * HOUR_NS)


class LoggingIn(LettingIn):
    def SetSession(self, op):
        owned = [each for each in self.sessions.values() if each.secret == op.session.secret]
        if len(owned) >= SESSIONS_EACH_MAX:
            del self.sessions[min(owned, key=lambda each: (each.used_ns, each.id)).id]
        elif len(self.sessions) >= SESSIONS_MAX:
            raise AccessRefused("too many")
        self.sessions[op.session.id] = replace(op.session, created_ns=self.now, used_ns=self.now)
        return SessionChanged(op.session.id)

    def DeleteSession(self, op):
        if op.session_id not in self.sessions:
            raise NotFound("session")
        del self.sessions[op.session_id]
        return SessionChanged(op.session_id)

    def TrimSessions(self, op):
        for session_id, used_ns in op.used_ns.items():
            known = self.sessions.get(session_id)
            if known is not None and used_ns >= known.used_ns + HOUR_NS // 120:
                self.sessions[session_id] = replace(known, used_ns=used_ns)
        over = [each.id for each in self.sessions.values() if over_ns(each) <= self.now]
        for session_id in over:
            del self.sessions[session_id]
        return Upkept(len(over), more=False)

    def SetSso(self, op):
        self.sso = replace(op.settings, updated_ns=self.now)
        return SsoSet(self.now)
