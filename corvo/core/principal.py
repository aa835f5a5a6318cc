"""Principal: who sends a request, as the server has found out, and what that one may do."""

from typing import Final

import msgspec

from corvo.core.namespace import ALL


class Principal(msgspec.Struct, frozen=True, gc=False):
    #: As people see it in a job's history and in the audit log: `key:deploy`, `oidc:ann@example.com`.
    name: str
    #: The one namespace it belongs to, or ALL.
    namespace: str
    #: The name of its role, for people.
    role: str
    #: Permissions as routes name them, `resource:action`; `*` may stand for either.
    permissions: frozenset[str]
    #: Globs of the queues it may touch; none for all.
    scope: tuple[str, ...] = ()

    @property
    def is_anonymous(self) -> bool:
        return self.name == ANONYMOUS

    def may(self, permission: str) -> bool:
        held = self.permissions
        if permission in held or "*:*" in held:
            return True
        resource, _, action = permission.partition(":")
        return f"{resource}:*" in held or f"*:{action}" in held


ANONYMOUS: Final = "anonymous"
#: Of a node without any credentials, which only its own machine can reach.
OPEN: Final = Principal(name=ANONYMOUS, namespace=ALL, role="admin", permissions=frozenset({"*:*"}))
