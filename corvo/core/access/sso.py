"""Settings of single sign-on, the same on every node."""

from typing import Final

import msgspec


class SsoSettings(msgspec.Struct, array_like=True, frozen=True, gc=False):
    #: `oidc`, or empty for none.
    provider: str = ""
    issuer: str = ""
    client_id: str = ""
    #: Whether headers of trusted proxies say who somebody is.
    saml_enabled: bool = False
    group_claim: str = "groups"
    #: group -> role, or role@namespace.
    group_roles: dict[str, str] = {}
    #: Where the provider sends browsers back to; empty for the address at which they came.
    redirect_url: str = ""
    #: What to ask the provider for.
    scopes: str = "openid profile email"
    updated_ns: int | None = None

    @property
    def has_oidc(self) -> bool:
        return self.provider == "oidc"


NO_SSO: Final = SsoSettings()


def role_and_namespace(mapped: str) -> tuple[str, str | None]:
    """What a group stands for: `operator`, or `admin@*`, which is one of all namespaces."""
    role, at, namespace = mapped.partition("@")
    return role, namespace if at else None


_decoder: Final = msgspec.msgpack.Decoder(SsoSettings)
encode_sso = msgspec.msgpack.Encoder().encode
decode_sso = _decoder.decode
