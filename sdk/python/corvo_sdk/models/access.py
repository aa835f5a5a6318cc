"""API keys and roles."""

from datetime import datetime

import msgspec

from corvo_sdk.models.base import Model


class Key(Model, frozen=True, kw_only=True):
    """An API key without its secret, which nobody knows but who was shown it."""

    id: str
    key_hash: str
    name: str
    namespace: str
    role: str
    #: Further ones, whose permissions are added.
    roles: list[str] = msgspec.field(default_factory=list)
    enabled: bool = True
    #: Globs of queue names, separated by commas; None for all queues.
    queue_scope: str | None = None
    created_at: datetime | None = None
    created_by: str = ""
    #: To within a minute.
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    #: While it is rotated: how long its former secret counts.
    former_until: datetime | None = None


class KeyMade(Model, frozen=True, kw_only=True):
    id: str
    #: Shown this once. None if it was given to the server, or if the answer that showed it was lost: then
    #: rotate the key.
    api_key: str | None = None
    former_until: datetime | None = None


class KeyRoles(Model, frozen=True, kw_only=True):
    key_hash: str
    roles: list[str]


class Permission(Model, frozen=True, kw_only=True):
    """Some actions on one resource, such as read and pause on queues."""

    resource: str
    actions: list[str]


class Role(Model, frozen=True, kw_only=True):
    name: str
    permissions: list[Permission]
    #: Every permission it comes to.
    holds: list[str] = msgspec.field(default_factory=list)
    built_in: bool = False
    created_at: datetime | None = None
    updated_at: datetime | None = None


class Who(Model, frozen=True, kw_only=True):
    """Who the server takes a client for."""

    #: `key:NAME`, or `anonymous`.
    principal: str
    role: str
    #: The one it belongs to, or `*`.
    namespace: str
    queue_scope: list[str] = msgspec.field(default_factory=list)
    permissions: list[str] = msgspec.field(default_factory=list)
    auth_required: bool = False


class AccessStatus(Model, frozen=True, kw_only=True):
    auth_required: bool = False
