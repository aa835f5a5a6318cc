"""Webhook targets: a name is resolved, every address is checked, and only a checked address is used.

A server that posts wherever it is told can be told to post into the network it stands in: to cloud metadata,
to databases without passwords, to itself. So addresses that are not public are refused, also when they hide
inside an IPv6 address, and the connection goes to the very address that was checked: a name that is
resolved differently after the check gains nothing.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

import msgspec

IpAddress = IPv4Address | IPv6Address
#: Host and port to addresses, as text.
ResolveHost = Callable[[str, int], Awaitable[list[str]]]

_PORTS: Final = {"http": 80, "https": 443}
# Written out, because what the standard library calls private differs between patch versions of Python.
_NOT_PUBLIC_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            # A cloud answers its own machines here, though the number is public.
            "168.63.129.16/32",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
#: All that was ever given out as public, less protocol assignments (Teredo among them), examples and 6to4.
_GLOBAL_6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
#: Networks whose addresses a gateway turns into the IPv4 address in their last four bytes.
_CARRIERS: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))


class TargetRefused(Exception):
    """The address is one that webhooks may not go to."""


class WebhookTarget(msgspec.Struct, frozen=True):
    """The parts of an address that were found to be sound."""

    scheme: str
    host: str
    port: int
    #: Path and query.
    path: str

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"


def parse_target(url: str) -> WebhookTarget:
    """Raises TargetRefused with a sentence that does not repeat the address: it may hold a secret."""
    if not url.isascii() or not url.isprintable() or " " in url:
        raise TargetRefused("url may hold printable ASCII characters only; encode the others")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise TargetRefused("url is not an address that can be understood") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise TargetRefused("url must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise TargetRefused("url may not hold a user name or password; use a secret to sign deliveries")
    if port == 0:
        raise TargetRefused("url names port 0")
    if "%" in parts.hostname:
        raise TargetRefused("url may not name a network interface or hold an escaped host")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookTarget(parts.scheme, parts.hostname, port or _PORTS[parts.scheme], path)


def check_literal(target: WebhookTarget, *, allow_private: bool) -> None:
    """What can be told without a resolver: whether an address written as numbers is public."""
    try:
        address = ip_address(target.host)
    except ValueError:
        return
    if not allow_private and not is_public(address):
        raise TargetRefused(f"{address} is not a public address; see --webhook-allow-private")


async def addresses(target: WebhookTarget, resolve: ResolveHost, *, allow_private: bool) -> list[str]:
    """Where to connect to. One address that is not public spoils them all: such a name is a trick."""
    found = [ip_address(text) for text in await resolve(target.host, target.port)]
    if not found:
        raise TargetRefused(f"{target.host} has no address")
    if not allow_private:
        for address in found:
            if not is_public(address):
                raise TargetRefused(f"{target.host} leads to {address}, which is not a public address")
    return [str(address) for address in found]


def is_public(address: IpAddress) -> bool:
    """Whether it is an address of the whole internet, and of nothing closer."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    inner = IPv4Address(int(address) & 0xFFFFFFFF)
    if any(address in network for network in _CARRIERS):
        return is_public(inner)
    if address not in _GLOBAL_6 or any(address in network for network in _NOT_PUBLIC_6):
        return False
    # ISATAP: the interface part spells 0:5efe or 200:5efe and then an IPv4 address to tunnel to.
    is_isatap = (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE
    return not is_isatap or is_public(inner)


async def system_resolve(host: str, port: int) -> list[str]:
    """What this machine thinks the name's addresses are."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
