"""Bodies of keys and roles (docs/reference/access.md)."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo.core.access.api_key import ApiKey, is_well_formed
from corvo.core.access.permissions import BUILT_IN, PERMISSIONS, matching
from corvo.core.access.principal import Principal
from corvo.core.access.role import CustomRole, Permission
from corvo.core.errors import ValidationFailed
from corvo.core.limits import (
    KEY_NAME_CHARS_MAX,
    QUEUE_NAME_CHARS_MAX,
    ROLE_NAME_CHARS_MAX,
    ROLE_PERMISSIONS_MAX,
    SCOPE_GLOBS_MAX,
)
from corvo.core.namespace import ALL, is_namespace
from corvo.core.times import format_time_ns, parse_time_ns
from corvo.http.api.routes.writing import time_or_unset

KeyName = Annotated[str, Meta(min_length=1, max_length=KEY_NAME_CHARS_MAX)]
RoleName = Annotated[str, Meta(max_length=ROLE_NAME_CHARS_MAX, pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
Scope = Annotated[str, Meta(max_length=SCOPE_GLOBS_MAX * QUEUE_NAME_CHARS_MAX)]


class KeyRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A key to be made; or, with an id, one to be changed."""

    name: KeyName | None = None
    #: Of the key to change.
    id: str | None = None
    #: A key made elsewhere by `corvo keys new`; without it the server makes one.
    key: str | None = None
    #: Instead of a key: the common name of client certificates that stand for it.
    certificate: KeyName | None = None
    namespace: str | None = None
    role: RoleName | None = None
    #: Globs of the queues it may touch, separated by commas; empty for all.
    queue_scope: Scope | None = None
    expires_at: str | None = None
    enabled: bool | None = None


class KeyMade(msgspec.Struct, omit_defaults=True):
    status: str
    id: str
    #: Shown this once. Absent if the client knows it already, or for a repeated request.
    api_key: str | UnsetType = UNSET
    former_until: str | UnsetType = UNSET


class RotateRequest(msgspec.Struct, forbid_unknown_fields=True):
    #: How long the former secret goes on counting.
    overlap: str | None = None


class DeleteKeyRequest(msgspec.Struct, forbid_unknown_fields=True):
    key_hash: str | None = None
    id: str | None = None


class KeyBody(msgspec.Struct, omit_defaults=True):
    """A key without its secret."""

    id: str
    key_hash: str
    name: str
    namespace: str
    role: str
    roles: list[str]
    enabled: bool
    created_at: str
    created_by: str
    queue_scope: str | UnsetType = UNSET
    last_used_at: str | UnsetType = UNSET
    expires_at: str | UnsetType = UNSET
    #: While it is rotated: how long its former secret counts.
    former_until: str | UnsetType = UNSET


class PermissionBody(msgspec.Struct, forbid_unknown_fields=True):
    resource: Annotated[str, Meta(min_length=1, max_length=64)]
    actions: Annotated[list[str], Meta(min_length=1, max_length=32)]


class RoleRequest(msgspec.Struct, forbid_unknown_fields=True):
    name: RoleName
    permissions: Annotated[list[PermissionBody], Meta(max_length=ROLE_PERMISSIONS_MAX)]


class RoleBody(msgspec.Struct, omit_defaults=True):
    name: str
    permissions: list[PermissionBody]
    #: Every permission it comes to.
    holds: list[str]
    built_in: bool
    created_at: str | UnsetType = UNSET
    updated_at: str | UnsetType = UNSET


class GrantRequest(msgspec.Struct, forbid_unknown_fields=True):
    role: RoleName


class KeyRolesBody(msgspec.Struct):
    key_hash: str
    roles: list[str]


class Done(msgspec.Struct):
    status: str


class AccessStatusBody(msgspec.Struct):
    #: Of other servers that speak this API; there is none here.
    admin_password_set: bool
    auth_required: bool
    #: Whether people can sign on by an OpenID provider: GET /auth/oidc/start.
    oidc: bool = False


class WhoBody(msgspec.Struct, omit_defaults=True):
    principal: str
    role: str
    #: The one it belongs to, or `*`.
    namespace: str
    queue_scope: list[str]
    permissions: list[str]
    auth_required: bool
    #: Of a browser's session: its id, and what every change must carry as X-Corvo-CSRF.
    session_id: str | UnsetType = UNSET
    csrf: str | UnsetType = UNSET


def key_body(key: ApiKey, now_ns: int) -> KeyBody:
    former = key.secrets[0].until_ns if len(key.secrets) > 1 else None
    return KeyBody(
        id=key.id,
        key_hash=key.hash,
        name=key.name,
        namespace=key.namespace,
        role=key.role,
        roles=list(key.roles),
        enabled=key.enabled,
        created_at=format_time_ns(key.created_ns),
        created_by=key.created_by,
        queue_scope=",".join(key.scope) if key.scope else UNSET,
        last_used_at=time_or_unset(key.last_used_ns),
        expires_at=time_or_unset(key.expires_ns),
        former_until=time_or_unset(former if former is not None and former > now_ns else None),
    )


def role_body(role: CustomRole) -> RoleBody:
    return RoleBody(
        name=role.name,
        permissions=[PermissionBody(pair.resource, list(pair.actions)) for pair in role.permissions],
        holds=sorted(role.holds()),
        built_in=False,
        created_at=format_time_ns(role.created_ns),
        updated_at=time_or_unset(role.updated_ns),
    )


def built_in_bodies() -> list[RoleBody]:
    return [
        RoleBody(
            name=name,
            permissions=[PermissionBody(*_split(permission)) for permission in sorted(held)],
            holds=sorted(held),
            built_in=True,
        )
        for name, held in BUILT_IN.items()
    ]


def _split(permission: str) -> tuple[str, list[str]]:
    resource, _, action = permission.partition(":")
    return resource, [action]


def who_body(principal: Principal, *, auth_required: bool, csrf: str | None) -> WhoBody:
    return WhoBody(
        principal=principal.name,
        role=principal.role,
        namespace=principal.namespace,
        queue_scope=list(principal.scope),
        permissions=sorted(permission for permission in principal.permissions if principal.may(permission)),
        auth_required=auth_required,
        session_id=principal.session_id or UNSET,
        csrf=csrf or UNSET,
    )


# From request to op


def scope_of(text: str | None) -> tuple[str, ...]:
    globs = tuple(part.strip() for part in (text or "").split(",") if part.strip())
    if len(globs) > SCOPE_GLOBS_MAX:
        raise ValidationFailed(f"queue_scope has more than {SCOPE_GLOBS_MAX} parts")
    for glob in globs:
        if len(glob) > QUEUE_NAME_CHARS_MAX or not glob.isprintable() or "/" in glob:
            raise ValidationFailed(
                "queue_scope is a list of queue names separated by commas; * stands for any text"
            )
    return globs


def namespace_of_key(name: str) -> str:
    if name != ALL and not is_namespace(name):
        raise ValidationFailed(f"namespace: {name[:70]!r} is not the name of a namespace, nor * for all")
    return name


def expiry_of(text: str | None, now_ns: int) -> int | None:
    if not text:
        return None
    at_ns = parse_time_ns(text, "expires_at")
    if at_ns <= now_ns:
        raise ValidationFailed("expires_at is in the past; to switch a key off, send enabled: false")
    return at_ns


def own_key(key: str) -> str:
    if not is_well_formed(key):
        raise ValidationFailed(
            "key is not an API key of Corvo; leave it out, or make one by `corvo keys new`"
        )
    return key


def permissions_of_role(request: RoleRequest) -> tuple[Permission, ...]:
    for pair in request.permissions:
        for action in pair.actions:
            if not matching(pair.resource, action):
                known = sorted({permission.partition(":")[0] for permission in PERMISSIONS})
                raise ValidationFailed(
                    f"permissions: no {action!r} on {pair.resource!r}; resources are {', '.join(known)}"
                )
    return tuple(Permission(pair.resource, tuple(pair.actions)) for pair in request.permissions)
