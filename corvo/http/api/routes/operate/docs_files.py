"""Files of the page that shows the API: a policy without inline scripts takes files of their own."""

from functools import cache
from importlib.resources import files

from corvo.core.errors import NotFound
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import PUBLIC, Route
from corvo.http.wire.message import Request, Response

_TYPES = {
    "docs.js": b"text/javascript; charset=utf-8",
    "docs.css": b"text/css; charset=utf-8",
}


@cache
def docs_file(name: str) -> bytes:
    return files("corvo.http").joinpath("static/docs", name).read_bytes()


async def _serve(request: Request, ctx: EdgeContext) -> Response:
    """A script or a style sheet of the page."""
    name = request.params["file"]
    if name not in _TYPES:
        raise NotFound(f"the page of the API has no file {name[:100]}")
    headers = [(b"cache-control", b"no-cache")]
    return Response(200, docs_file(name), content_type=_TYPES[name], headers=headers)


#: Not in the table of the API: these are files.
DOCS_FILES_ROUTE = Route(method="GET", path="/docs/{file}", handler=_serve, needs=PUBLIC, tag="Docs")
