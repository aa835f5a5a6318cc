"""Bodies of logins, sessions and single sign-on (docs/sso.md)."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo.core.access.permissions import BUILT_IN
from corvo.core.access.role import CustomRole
from corvo.core.access.session import LoginSession
from corvo.core.access.sso import SsoSettings, role_and_namespace
from corvo.core.errors import ValidationFailed
from corvo.core.limits import GROUP_ROLES_MAX
from corvo.core.namespace import ALL, is_namespace
from corvo.core.times import format_time_ns
from corvo.http.serve.sign_on.asking import check_address

_Text = Annotated[str, Meta(max_length=2_000)]


class LoginRequest(msgspec.Struct, forbid_unknown_fields=True):
    api_key: Annotated[str, Meta(max_length=200)]


class LoginBody(msgspec.Struct):
    session_id: str
    principal: str
    #: What every change by the session must carry as X-Corvo-CSRF.
    csrf: str
    #: When it ends if it is not used.
    expires_at: str


class SessionBody(msgspec.Struct):
    id: str
    principal: str
    created_at: str
    #: To within a minute.
    last_used_at: str
    expires_at: str
    client: str
    user_agent: str
    #: Whether it is the one by which it was asked.
    current: bool


def session_body(session: LoginSession, current: str) -> SessionBody:
    return SessionBody(
        id=session.id,
        principal=session.name,
        created_at=format_time_ns(session.created_ns),
        last_used_at=format_time_ns(session.used_ns),
        expires_at=format_time_ns(session.until_ns),
        client=session.client,
        user_agent=session.agent,
        current=session.id == current,
    )


class SsoBody(msgspec.Struct, omit_defaults=True):
    provider: str
    oidc_issuer_url: str
    oidc_client_id: str
    saml_enabled: bool
    oidc_group_claim: str
    group_role_mappings: dict[str, str]
    oidc_redirect_url: str
    oidc_scopes: str
    #: Where the provider must send browsers back to, as this node sees it.
    callback_url: str
    updated_at: str | UnsetType = UNSET


class SsoRequest(msgspec.Struct, forbid_unknown_fields=True):
    provider: _Text = ""
    oidc_issuer_url: _Text = ""
    oidc_client_id: _Text = ""
    saml_enabled: bool = False
    oidc_group_claim: Annotated[str, Meta(max_length=200)] = "groups"
    #: group -> role, or role@namespace; admin@* is one of all namespaces.
    group_role_mappings: dict[Annotated[str, Meta(max_length=256)], Annotated[str, Meta(max_length=200)]] = {}
    oidc_redirect_url: _Text = ""
    oidc_scopes: Annotated[str, Meta(max_length=500)] = "openid profile email"
    #: Only told in answers; taken so that what was read can be sent back.
    callback_url: _Text = ""
    updated_at: _Text = ""


def sso_body(sso: SsoSettings, callback_url: str) -> SsoBody:
    return SsoBody(
        provider=sso.provider,
        oidc_issuer_url=sso.issuer,
        oidc_client_id=sso.client_id,
        saml_enabled=sso.saml_enabled,
        oidc_group_claim=sso.group_claim,
        group_role_mappings=sso.group_roles,
        oidc_redirect_url=sso.redirect_url,
        oidc_scopes=sso.scopes,
        callback_url=callback_url,
        updated_at=UNSET if sso.updated_ns is None else format_time_ns(sso.updated_ns),
    )


def sso_settings(request: SsoRequest, roles: list[CustomRole]) -> SsoSettings:
    if request.provider not in ("", "oidc"):
        raise ValidationFailed(f"provider: {request.provider[:40]!r} is neither oidc nor empty")
    if request.provider == "oidc":
        _check_url("oidc_issuer_url", request.oidc_issuer_url)
        if not request.oidc_client_id:
            raise ValidationFailed("oidc_client_id is required: the name by which the provider knows Corvo")
    if request.oidc_redirect_url:
        _check_url("oidc_redirect_url", request.oidc_redirect_url)
    if "openid" not in request.oidc_scopes.split():
        raise ValidationFailed("oidc_scopes must have openid: without it the provider gives no id token")
    _check_mappings(request.group_role_mappings, {role.name for role in roles} | BUILT_IN.keys())
    return SsoSettings(
        provider=request.provider,
        issuer=request.oidc_issuer_url,
        client_id=request.oidc_client_id,
        saml_enabled=request.saml_enabled,
        group_claim=request.oidc_group_claim or "groups",
        group_roles=request.group_role_mappings,
        redirect_url=request.oidc_redirect_url,
        scopes=request.oidc_scopes,
    )


def _check_url(name: str, url: str) -> None:
    try:
        check_address(url)
    except ValueError as error:
        raise ValidationFailed(f"{name}: {url[:100]!r} {error}") from None


def _check_mappings(mappings: dict[str, str], known: set[str]) -> None:
    if len(mappings) > GROUP_ROLES_MAX:
        raise ValidationFailed(f"group_role_mappings has more than {GROUP_ROLES_MAX} members")
    for group, mapped in mappings.items():
        role, namespace = role_and_namespace(mapped)
        if not group or not role:
            raise ValidationFailed("group_role_mappings: neither a group nor its role may be empty")
        if role not in known:
            raise ValidationFailed(f"group_role_mappings: there is no role {role[:60]!r}; make it first")
        if namespace is not None and namespace != ALL and not is_namespace(namespace):
            raise ValidationFailed(f"group_role_mappings: {namespace[:70]!r} is not the name of a namespace")
