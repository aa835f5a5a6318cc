"""Browser guard: whom a request was meant for and which page sent it, decided from its head alone.

    head -> [browser guard] -> handler
                            -> 421 HOST_NOT_ALLOWED     a name that is not this node's
                            -> 403 ORIGIN_NOT_ALLOWED   a page of another site

A node on loopback is within reach of every web page that its user opens. A page can send requests there by
itself, or have a name of its own point to 127.0.0.1 and then read the answers, too. The first shows in
`Origin` and `Sec-Fetch-Site`, the second in `Host`, and no page can change those. Clients that are no
browsers send a `Host` that the operator knows, and neither of the others.

All ways in ask here. Readers of plain requests ask `trusts`, which is cheap and knows no reasons; what it
does not trust takes the way through the whole server, and there `check` decides and says why.
"""

import re
import socket
from ipaddress import IPv6Address, ip_address
from typing import Final, NamedTuple

import structlog

from corvo.config import Config
from corvo.core.errors import HostNotAllowed, OriginNotAllowed
from corvo.core.hosts import host_of, is_loopback

log = structlog.get_logger()

_HOST: Final = re.compile(rb"(?P<host>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN: Final = re.compile(rb"(?P<scheme>https?)://(?P<authority>[^/?#@\s]+)")
_DEFAULT_PORTS: Final = {b"http": b"80", b"https": b"443"}
#: Hosts remembered as ours, and strange ones that are logged: clients choose them, so both are bounded.
_KNOWN_MAX: Final = 256
_LOGGED_MAX: Final = 64
_SHOWN_BYTES: Final = 80

#: What a link on another site may lead to. These are pages; what they do, they do as this node's own.
#: The last of them is where another site, the provider of single sign-on, sends browsers back to.
_PAGES: Final = frozenset({"/", "/ui", "/docs", "/api/v1/auth/oidc/callback"})
_PAGES_UNDER: Final = "/ui/"


class _Authority(NamedTuple):
    """Who is meant by `host:port`; the port as it was written."""

    host: str
    port: bytes


class BrowserGuard:
    def __init__(self, config: Config) -> None:
        self._names = _own_names(config)
        self._suffixes = tuple(name[1:] for name in config.host_names() if name.startswith("*."))
        # A page under another name cannot send the number of an address as its Host: to a node that listens
        # on all of its machine's addresses, every number is its own.
        self._takes_numbers = _is_wildcard(host_of(config.bind))
        origins = config.origins()
        self._takes_all_origins = origins == ["*"]
        self._origins = frozenset(origin.lower().encode() for origin in origins)
        self._good: set[bytes | None] = set()
        self._logged: set[bytes] = set()

    def trusts(self, headers: dict[bytes, bytes]) -> bool:
        """Whether the request is for this node and from no page at all, so that nothing is left to decide."""
        if b"origin" in headers or b"sec-fetch-site" in headers:
            return False
        host = headers.get(b"host")
        return host in self._good or (host is not None and self._is_ours(host))

    def check(
        self, method: str, path: str, target: str, headers: list[tuple[bytes, bytes]], scheme: str = "http"
    ) -> None:
        """Raises HostNotAllowed or OriginNotAllowed. `target` is what the request line says, which may be a
        whole address; then that names the host, too."""
        hosts = [value for name, value in headers if name == b"host"]
        host = hosts[0] if len(hosts) == 1 else b""
        if not (host in self._good or self._is_ours(host)):
            raise self._not_ours(b", ".join(hosts))
        if target[:1] != "/" and "://" in target:
            named = target.partition("://")[2].partition("/")[0].partition("?")[0].encode("utf-8", "replace")
            if not self._is_ours(named):
                raise self._not_ours(named)
        self._check_page(method, path, host, dict(headers), scheme)

    # Whom the request is for

    def _is_ours(self, host: bytes) -> bool:
        authority = _read(host)
        if authority is None or not self._is_own_name(authority.host):
            return False
        if len(self._good) >= _KNOWN_MAX:
            self._good.clear()
        self._good.add(host)
        return True

    def _is_own_name(self, host: str) -> bool:
        if host in self._names or host.endswith(self._suffixes):
            return True
        number = _number(host)
        return number is not None and (self._takes_numbers or is_loopback(number) or number in self._names)

    def _not_ours(self, host: bytes) -> HostNotAllowed:
        shown = host[:_SHOWN_BYTES].decode("ascii", "backslashreplace")
        if host not in self._logged and len(self._logged) < _LOGGED_MAX:
            self._logged.add(host)
            log.warning("http.host_not_allowed", host=shown, hint=HostNotAllowed.hint())
        return HostNotAllowed(f"this node does not answer for the host {shown!r}")

    # Who has sent it

    def _check_page(
        self, method: str, path: str, host: bytes, headers: dict[bytes, bytes], scheme: str
    ) -> None:
        origin = headers.get(b"origin")
        if origin is not None:
            if not self._is_allowed(origin, host, scheme):
                shown = origin[:_SHOWN_BYTES].decode("ascii", "backslashreplace")
                raise OriginNotAllowed(f"pages of {shown!r} may not call this node")
        elif headers.get(b"sec-fetch-site", b"").lower() == b"cross-site" and not _is_link(
            method, path, headers
        ):
            raise OriginNotAllowed("pages of other sites may not call this node")

    def _is_allowed(self, origin: bytes, host: bytes, scheme: str) -> bool:
        if self._takes_all_origins or origin in self._origins:
            return True
        match = _ORIGIN.fullmatch(origin)
        if match is None:
            return (
                False  # `null`, which is what a page in a sandbox has, or of a scheme that is none of ours.
            )
        theirs, ours = _read(match["authority"]), _read(host)
        if theirs is None or ours is None or theirs.host != ours.host:
            return False
        if scheme == "https" and match["scheme"] != b"https":
            return False
        # A proxy that speaks TLS for this node makes https of http, and hides the port.
        default = _DEFAULT_PORTS[match["scheme"]]
        return (theirs.port or default) == (ours.port or default)


def _is_link(method: str, path: str, headers: dict[bytes, bytes]) -> bool:
    """Whether somebody has followed a link to one of our pages, in a window and not in a frame."""
    return (
        method in ("GET", "HEAD")
        and headers.get(b"sec-fetch-mode", b"").lower() == b"navigate"
        and headers.get(b"sec-fetch-dest", b"document").lower() == b"document"
        and (path in _PAGES or path.startswith(_PAGES_UNDER))
    )


def _own_names(config: Config) -> frozenset[str]:
    names = {"localhost", host_of(config.bind), host_of(config.http_advertise) or config.http_advertise}
    names |= set(config.host_names())
    if _is_wildcard(host_of(config.bind)):
        # Other nodes and their clients know the node by the name of its machine, if no other is given.
        names |= {socket.gethostname(), config.discover_dns_name}
    lowered = {name.lower().rstrip(".") for name in names}
    numbers = {_number(name) or name for name in lowered}
    return frozenset(name for name in numbers if name and not name.startswith("*."))


def _read(host: bytes) -> _Authority | None:
    match = _HOST.fullmatch(host)
    if match is None:
        return None
    return _Authority(match["host"].decode().strip("[]").lower().removesuffix("."), match["port"] or b"")


def _number(host: str) -> str | None:
    """The address in the one way to write it, if it is a number and no name."""
    try:
        address = ip_address(host)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address)


def _is_wildcard(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False
