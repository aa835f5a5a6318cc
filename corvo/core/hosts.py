"""Addresses as people write them: host:port, [v6]:port."""

import ipaddress
from collections.abc import Iterable


def host_of(address: str) -> str:
    return address.rpartition(":")[0].strip("[]")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def within(networks: Iterable[Network], address: str) -> bool:
    """Whether it is an address of one of these networks."""
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped is not None:
        # A server that listens on [::] sees clients with IPv4 like this.
        number = number.ipv4_mapped
    return any(number in network for network in networks)
