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
_HOST: Final = r"(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+)"
#: host:port, and nothing that would make a URL of it.
_ADDRESS: Final = rf"^{_HOST}:\d{{1,5}}$(?!\n)"
#: Where clients find a node: an address or a URL, or empty, as not every node has one.
_HTTP_ADDRESS: Final = rf"^((https?://)?{_HOST}(:\d{{1,5}})?/?)?$(?!\n)"
NodeAddress = Annotated[str, Meta(pattern=_ADDRESS, max_length=260)]
HttpAddress = Annotated[str, Meta(pattern=_HTTP_ADDRESS, max_length=260)]


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


def is_node_address(text: str) -> bool:
    return re.search(_ADDRESS, text) is not None


def is_http_address(text: str) -> bool:
    return re.search(_HTTP_ADDRESS, text) is not None
