"""Proxy headers: who somebody is by the word of a proxy that has asked their SAML provider.

    X-Corvo-SAML-Subject, -Role, -Roles, -Namespace

They count only if single sign-on has SAML switched on, and only from an address in `--trusted-proxies`:
anybody can write a header.
"""

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from corvo.core.access.session import Identity
from corvo.core.errors import Unauthorized
from corvo.core.limits import CLAIMS_MAX, KEY_NAME_CHARS_MAX
from corvo.core.namespace import DEFAULT
from corvo.http.wire.message import Request

SUBJECT: Final = b"x-corvo-saml-subject"


class ProxyHeaders:
    def __init__(self, networks: list[IPv4Network | IPv6Network]) -> None:
        self._networks = networks

    def identity(self, request: Request) -> Identity | None:
        """Whom the proxy names. Raises if it names somebody who cannot be named so."""
        subject = _text(request, SUBJECT)
        if not subject or not self.is_trusted(request.peer):
            return None
        if len(subject) > KEY_NAME_CHARS_MAX or not subject.isprintable():
            raise Unauthorized("X-Corvo-SAML-Subject is too long, or has characters that are no text")
        given = [_text(request, b"x-corvo-saml-role"), *_text(request, b"x-corvo-saml-roles").split(",")]
        roles = tuple(role.strip() for role in given[:CLAIMS_MAX] if role.strip())
        namespace = _text(request, b"x-corvo-saml-namespace") or DEFAULT
        return Identity("saml", "", subject, namespace, roles, groups=roles)

    def is_trusted(self, peer: str) -> bool:
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            # A server that listens on [::] sees clients with IPv4 like this.
            return self.is_trusted(str(address.ipv4_mapped))
        return any(address in network for network in self._networks)


def _text(request: Request, name: bytes) -> str:
    return request.headers.get(name, b"").decode("utf-8", "replace").strip()
