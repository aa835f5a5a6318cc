"""Roles that admins make, beside those that are always there."""

from typing import Final

import msgspec

from corvo.core.access.permissions import BUILT_IN, matching


class Permission(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Some actions on one resource, as routes name them; a resource may end in a star."""

    resource: str
    actions: tuple[str, ...]


class CustomRole(msgspec.Struct, array_like=True, frozen=True, gc=False):
    name: str
    permissions: tuple[Permission, ...]
    created_ns: int
    updated_ns: int | None = None

    def holds(self) -> frozenset[str]:
        """All the permissions that it names."""
        return named_by(self.permissions)


def named_by(pairs: tuple[Permission, ...]) -> frozenset[str]:
    return frozenset(
        permission
        for pair in pairs
        for action in pair.actions
        for permission in matching(pair.resource, action)
    )


def permissions_of(names: tuple[str, ...], made: dict[str, CustomRole]) -> frozenset[str]:
    """What these roles hold together. A role that no longer exists holds nothing but the right to ask."""
    held = frozenset({"self:read"})
    for name in names:
        if name in BUILT_IN:
            held |= BUILT_IN[name]
        elif name in made:
            held |= made[name].holds()
    return held


_decoder: Final = msgspec.msgpack.Decoder(CustomRole)
encode_role = msgspec.msgpack.Encoder().encode
decode_role = _decoder.decode
