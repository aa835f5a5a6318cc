"""Identities: what somebody whom another party knows may do here.

claims, headers -> Identity -> [settings, roles] -> Principal
"""

from typing import Final

from corvo.core.access.permissions import BUILT_IN, FOR_ADMINS
from corvo.core.access.principal import Principal
from corvo.core.access.role import CustomRole, permissions_of
from corvo.core.access.session import Identity
from corvo.core.access.sso import SsoSettings, role_and_namespace
from corvo.core.namespace import ALL, DEFAULT, is_namespace

_LEAST: Final = "readonly"


def principal_of(identity: Identity, sso: SsoSettings, made: dict[str, CustomRole]) -> Principal:
    """By its groups, else by the roles it claims, else as a reader.

    Of a provider's claims only groups that an admin has mapped may make an admin or one of all namespaces:
    with some providers people edit their own claims. A proxy is trusted with all of it.
    """
    mapped = [
        role_and_namespace(sso.group_roles[group]) for group in identity.groups if group in sso.group_roles
    ]
    trusted = identity.kind == "saml"
    claimed = [
        role for role in identity.roles if _is_known(role, made) and (trusted or not _is_mighty(role, made))
    ]
    roles = [*(role for role, _ in mapped if _is_known(role, made)), *claimed] or [_LEAST]
    namespaces = [namespace for _, namespace in mapped if namespace is not None]
    own = identity.namespace
    if not is_namespace(own) and not (trusted and own == ALL):
        own = DEFAULT
    return Principal(
        name=f"{identity.kind}:{identity.name}",
        namespace=namespaces[0] if namespaces else own,
        role=roles[0],
        permissions=permissions_of(tuple(roles), made),
    )


def _is_known(role: str, made: dict[str, CustomRole]) -> bool:
    return role in BUILT_IN or role in made


def _is_mighty(role: str, made: dict[str, CustomRole]) -> bool:
    return bool(permissions_of((role,), made) & FOR_ADMINS)
