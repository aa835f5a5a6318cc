"""Client address: where a request comes from, also behind proxies that are trusted."""

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

from corvo.http.wire.message import Request

Networks = list[IPv4Network | IPv6Network]
_CHARS_MAX = 64


def client_address(request: Request, proxies: Networks) -> str:
    """The rightmost address that no trusted proxy has: what is left of it, the client may have made up."""
    address = request.peer
    forwarded = request.headers.get(b"x-forwarded-for") if proxies else None
    if not forwarded:
        return address
    hops = [hop.strip() for hop in forwarded.decode("latin-1").split(",")]
    while hops and _is_among(address, proxies):
        address = hops.pop()
    return address[:_CHARS_MAX] if address.isprintable() else ""


def _is_among(text: str, networks: Networks) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        # A server that listens on [::] sees clients with IPv4 like this.
        address = address.ipv4_mapped
    return any(address in network for network in networks)
