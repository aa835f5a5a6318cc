"""Ops about who may do what: API keys and roles."""

from corvo.core.access.role import Permission
from corvo.ops.base import Op, op


@op
class SetKey(Op, frozen=True, tag=70):
    """Make an API key, or change the one with this id. With the first key the cluster is shut for good."""

    key_id: str
    name: str
    namespace: str
    role: str
    scope: tuple[str, ...]
    #: Of a new key. None leaves the secrets of an existing one as they are.
    hash: bytes | None
    enabled: bool
    expires_ns: int | None
    made_by: str
    #: Whether to change an existing key; else one with this id or secret is refused.
    existing: bool = False


@op
class RotateKey(Op, frozen=True, tag=71):
    """Give a key a new secret. The former one counts until this time; older ones no longer do."""

    key_id: str
    hash: bytes
    former_until_ns: int


@op
class DeleteKey(Op, frozen=True, tag=72):
    key_id: str


@op
class TouchKeys(Op, frozen=True, tag=73):
    """These keys were used at these times."""

    used_ns: dict[str, int]


@op
class SetRole(Op, frozen=True, tag=74):
    """Make a role, or change what it holds."""

    name: str
    permissions: tuple[Permission, ...]


@op
class DeleteRole(Op, frozen=True, tag=75):
    """Remove a role, also from the keys that have it as a further role."""

    name: str


@op
class GrantRole(Op, frozen=True, tag=76):
    """Give a key a further role, or take it away."""

    key_id: str
    role: str
    granted: bool
