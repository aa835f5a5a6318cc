"""Where a webhook may go: a name is resolved, every address is checked, and only a checked one is used.

A server that posts wherever it is told can be told to post into the network it stands in: to cloud metadata,
to databases without passwords, to itself. So addresses that are not public are refused, also when they hide
inside an IPv6 address, and the connection goes to the very address that was checked: a name that changes
its mind between the check and the connection gains nothing.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import msgspec

IpAddress = IPv4Address | IPv6Address
#: Host and port to addresses, as text.
Resolve = Callable[[str, int], Awaitable[list[str]]]

_PORTS = {"http": 80, "https": 443}
#: IPv6 networks that carry an IPv4 address in their last four bytes: NAT64, IPv4-compatible, IPv4-translated.
_CARRIERS = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"), IPv6Network("::ffff:0:0:0/96"))
#: NAT64 prefixes of one's own network; what lies behind them is one's own network.
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
#: Public by number, but a cloud answers its own machines there.
_METADATA = frozenset({ip_address("168.63.129.16")})


class TargetRefused(Exception):
    """The address is one that webhooks may not go to."""


class Target(msgspec.Struct, frozen=True):
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


def parse_target(url: str) -> Target:
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
    return Target(parts.scheme, parts.hostname, port or _PORTS[parts.scheme], path)


def check_literal(target: Target, *, allow_private: bool) -> None:
    """What can be told without a resolver: whether an address written as numbers is public."""
    try:
        address = ip_address(target.host)
    except ValueError:
        return
    if not allow_private and not is_public(address):
        raise TargetRefused(f"{address} is not a public address; see --webhook-allow-private")


async def addresses(target: Target, resolve: Resolve, *, allow_private: bool) -> list[str]:
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
    return all(_is_public(each) for each in (address, *_hidden_in(address)))


def _is_public(address: IpAddress) -> bool:
    if isinstance(address, IPv6Address) and (address.is_site_local or address in _LOCAL_NAT64):
        return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
        and address not in _METADATA
    )


def _hidden_in(address: IpAddress) -> Iterator[IPv4Address]:
    """IPv4 addresses that a gateway would take from this one and connect to."""
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if any(address in network for network in _CARRIERS):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    # ISATAP: the interface part spells 0:5efe or 200:5efe and then the IPv4 address.
    if (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


async def system_resolve(host: str, port: int) -> list[str]:
    """What this machine thinks the name's addresses are."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
