"""Principal: who sends a request, as the server has found out, and what that one may do."""

from typing import Final

import msgspec

from corvo.core.access.permissions import BUILT_IN, CLUSTER_WIDE
from corvo.core.access.session import NOT_BY_SESSION
from corvo.core.namespace import ALL


class Principal(msgspec.Struct, frozen=True, gc=False):
    #: As people see it in a job's history and in the audit log: `key:deploy`, `oidc:ann@example.com`.
    name: str
    #: The one namespace it belongs to, or ALL.
    namespace: str
    #: The name of its role, for people.
    role: str
    permissions: frozenset[str]
    #: Globs of the queues it may touch; none for all.
    scope: tuple[str, ...] = ()
    #: The session by which it comes; empty for one that shows a credential with each request.
    session_id: str = ""

    @property
    def is_anonymous(self) -> bool:
        return self.name == ANONYMOUS

    @property
    def by(self) -> str:
        """Its name in the history of jobs; nobody in particular is not named."""
        return "" if self.is_anonymous else self.name

    def may(self, permission: str) -> bool:
        if permission not in self.permissions or (self.session_id and permission in NOT_BY_SESSION):
            return False
        return permission not in CLUSTER_WIDE or (self.namespace == ALL and not self.scope)


ANONYMOUS: Final = "anonymous"
#: The client of a node without any credentials, which only its own machine can reach.
OPEN: Final = Principal(name=ANONYMOUS, namespace=ALL, role="admin", permissions=BUILT_IN["admin"])
#: The client that shows no credential to a node that wants one. It may have what is public.
NOBODY: Final = Principal(name=ANONYMOUS, namespace="", role="none", permissions=frozenset())
