"""Addresses and ids of nodes as people write them: host:port, [v6]:port, corvo-0."""

import ipaddress
import re
from collections.abc import Iterable
from typing import Annotated, Final

from msgspec import Meta

NODE_ID_CHARS_MAX: Final = 64
#: Ids stand in logs, in sentences to be pasted into a shell and in certificates, so they need no quoting.
#: (In Python `$` alone would also match before a line break at the end.)
NODE_ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]*$(?!\n)"
_NODE_ID: Final = re.compile(NODE_ID_PATTERN)

NodeId = Annotated[str, Meta(pattern=NODE_ID_PATTERN, min_length=1, max_length=NODE_ID_CHARS_MAX)]
#: host:port. Neither spaces nor what would make a URL of it.
NodeAddress = Annotated[str, Meta(pattern=r"^[^\s/@?#]+:\d{1,5}$(?!\n)", max_length=260)]
#: The same, or empty: not every node has one to be found at.
HttpAddress = Annotated[str, Meta(pattern=r"^([^\s/@?#]+:\d{1,5})?$(?!\n)", max_length=260)]


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


def is_node_id(text: str) -> bool:
    return len(text) <= NODE_ID_CHARS_MAX and _NODE_ID.match(text) is not None


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
