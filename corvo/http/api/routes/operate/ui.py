"""The web UI: files built from ui/ and kept in this package, so that installing Corvo needs no Node.

    /, /ui           lead to /ui/
    /ui/assets/*     files whose names hold a hash of their content: cached for ever
    /ui/*            the page, whatever the rest of the path says: the browser does the routing

The page finds its files and the API relative to itself. The server says how many levels up that is, so it
works behind any path prefix without being told about it.
"""

import gzip
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from corvo.core.errors import NotFound
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import PUBLIC, Handler, Route
from corvo.http.wire.message import Headers, Request, Response

_FOLDER = files("corvo.http").joinpath("static/ui")
_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".woff2": b"font/woff2",
    ".json": b"application/json",
}
#: Fonts are compressed already.
_COMPRESSED = (".woff2",)
_BASE = b'<base href="./">'


class _File(msgspec.Struct, frozen=True):
    body: bytes
    packed: bytes | None
    content_type: bytes
    etag: bytes


async def _to_folder(request: Request, ctx: EdgeContext) -> Response:
    """The bare address, and the one without its slash, lead to the UI."""
    return Response(301, content_type=b"text/plain", headers=[(b"location", b"ui/")])


async def _serve(request: Request, ctx: EdgeContext) -> Response:
    """A file of the UI, or its page."""
    path = request.params.get("path", "")
    if path.startswith("assets/"):
        file = _asset(path)
        caching = b"public, max-age=31536000, immutable"
    else:
        is_file = path in _names() and path != "index.html"
        file = _read(path) if is_file else _page(path.count("/"))
        caching = b"no-cache"
    headers: Headers = [
        (b"cache-control", caching),
        (b"etag", file.etag),
        (b"vary", b"accept-encoding"),
    ]
    if request.header(b"if-none-match") == file.etag.decode():
        return Response(304, content_type=file.content_type, headers=headers)
    if file.packed is not None and "gzip" in (request.header(b"accept-encoding") or ""):
        headers.append((b"content-encoding", b"gzip"))
        return Response(200, file.packed, content_type=file.content_type, headers=headers)
    return Response(200, file.body, content_type=file.content_type, headers=headers)


@cache
def _page(levels: int) -> _File:
    """The page, told how many levels above its own address the UI begins."""
    template = _FOLDER.joinpath("index.html").read_bytes()
    assert _BASE in template, "the page has no place for its base address"
    # A longer path than any page has: the browser will say that there is nothing.
    up = b"../" * min(levels, 20) or b"./"
    return _file(template.replace(_BASE, b'<base href="%s">' % up), ".html")


def _asset(path: str) -> _File:
    # Looked up in the list of what there is, so that no path leads out of the folder.
    if path not in _names():
        raise NotFound(f"the UI has no file {path[:100]}")
    return _read(path)


@cache
def _read(path: str) -> _File:
    return _file(_FOLDER.joinpath(path).read_bytes(), path[path.rfind(".") :])


@cache
def _names() -> frozenset[str]:
    def walk(folder: Traversable, prefix: str) -> list[str]:
        found = []
        for entry in folder.iterdir():
            found += walk(entry, f"{prefix}{entry.name}/") if entry.is_dir() else [prefix + entry.name]
        return found

    return frozenset(name for name in walk(_FOLDER, "") if not name.startswith("."))


def _file(body: bytes, suffix: str) -> _File:
    packed = None if suffix in _COMPRESSED else gzip.compress(body, 9, mtime=0)
    etag = b'"%s"' % blake2b(body, digest_size=12).hexdigest().encode()
    return _File(body, packed, _TYPES.get(suffix, b"application/octet-stream"), etag)


def _route(path: str, handler: Handler) -> Route:
    return Route(method="GET", path=path, handler=handler, needs=PUBLIC, tag="UI")


#: Not in the table of the API: these are files.
UI_ROUTES = (
    _route("/", _to_folder),
    _route("/ui", _to_folder),
    _route("/ui/", _serve),
    _route("/ui/{path:path}", _serve),
)
