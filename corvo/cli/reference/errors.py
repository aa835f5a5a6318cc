"""docs/reference/errors.md, printed from the errors and from what routes say they may answer."""

from collections.abc import Iterator
from typing import Final

from corvo.cli.error_list import every_error
from corvo.cli.reference.markdown import MADE, anchor, escape, marked, sentences, table, wrapped
from corvo.http.api.routes.writing import WRITE_ERRORS
from corvo.http.api.table import routes
from corvo.http.serve.route import Route

_ABOUT = """\
# Error codes

{made}

An error is a JSON body with these members:

| member | what it is |
| --- | --- |
| `error` | A sentence about this request. It may change; show it to people. |
| `code` | One of the codes below. It does not change; match on it, or on the status. |
| `hint` | What the code means and what to do about it, as below. |
| `request_id` | Name of the request in the node's log: the client's `X-Request-Id`, or a new one. |
| `retry_after_ms` | When it makes sense to try again. The header `Retry-After` says the same in seconds. |

Some errors have more, such as `job_state`, `leader_addr` or `unique_job_id`. Where one request is about
many jobs (the lines of a worker stream, bulk requests), each job that was refused carries the `code` of its
own reason.

*Retry* says whether the same request may succeed later without being changed. A write that is repeated
should carry an `Idempotency-Key`, so that it has one effect however often it arrives. The Python SDK has a
class for each code, in `corvo_sdk.errors`; those under `Unavailable` may be tried again. `corvo errors
CODE` prints an entry of this page in the terminal.

## All codes

{codes}
"""

_BY_ROUTE = """\
## By route

What each route may answer beside `INTERNAL_ERROR`, `RATE_LIMITED` and what may happen to [every
request](#every-request). *Writes* are the codes that every write may get:
{writes}.

{routes}

## Every request

These do not depend on the route, and most of them are decided before a route is found.

{everywhere}
"""

#: Codes that any request may be answered with, whatever its route, and when.
_EVERYWHERE: Final = {
    "ACCESS_UNKNOWN": "the node does not know which keys count, and the route is not public",
    "CSRF_REFUSED": "a session changes something without its token ([access](access.md#sessions))",
    "SIGN_ON_FAILED": "it shows a token of the OpenID provider, which does not answer",
    "ENTRY_TOO_LARGE": "a write is larger than 24 MiB when it reaches the log",
    "FORBIDDEN": "the credential lacks the permission that the route needs ([permissions](permissions.md))",
    "HEADERS_TOO_LARGE": "the request line and headers are larger than `--max-header-size`",
    "HOST_NOT_ALLOWED": "its `Host` is neither one of the node's own names nor in `--allowed-hosts`",
    "INTERNAL_ERROR": "there is a bug in the server",
    "METHOD_NOT_ALLOWED": "the path exists and does not take the method",
    "NOT_FOUND": "there is nothing at the path",
    "ORIGIN_NOT_ALLOWED": "a page sent it that is neither the node's own nor in `--cors-origin`",
    "OUTCOME_UNKNOWN": "a part of the node failed while it worked on the request",
    "OVERLOADED": "more requests, connections or bytes of bodies wait than the node can hold",
    "PARSE_ERROR": "what arrived is not HTTP",
    "PAYLOAD_TOO_LARGE": "the body is larger than `--max-body-size`",
    "RATE_LIMITED": "`--rate-limit-enabled` is on, and the path is under `/api/v1/` or is `/metrics`",
    "REQUEST_TIMEOUT": "the body takes longer than `--body-timeout` to arrive",
    "TLS_REQUIRED": "the port speaks TLS, and the request came without it",
    "SHUTTING_DOWN": "the node stops before it has answered",
    "UNAUTHORIZED": "the node wants a credential, and the request has none that counts",
}

#: Codes that no HTTP request is answered with.
_NOT_ANSWERS: Final = {
    "BAD_FRAME": "a line of `POST /api/v1/stream`",
    "CONFIG_ERROR": "`corvo serve` and `corvo dev` when they start",
    "LINE_TOO_LONG": "a line of `POST /api/v1/stream`, which ends the stream",
}

#: More routes than this are counted, not listed.
_LISTED_MAX: Final = 8


def errors_page() -> str:
    errors = every_error()
    codes = table(
        ("code", "status:", "retry", "meaning"),
        [
            (
                f"[`{row['code']}`](#{anchor(row['code'])})",
                str(row["status"]),
                "yes" if row["retryable"] else "",
                escape(sentences(row["meaning"])[0]),
            )
            for row in errors
        ],
    )
    return "\n".join(
        [
            _ABOUT.format(made=MADE, codes=codes),
            "## Each code\n",
            *(_entry(row["code"], row["status"], row["meaning"], row["retryable"]) for row in errors),
            _BY_ROUTE.format(
                writes="\n".join(wrapped(f"`{code}`," for code in sorted(_WRITE_CODES))).rstrip(","),
                routes=_by_route(),
                everywhere=table(("code", "if"), [(f"`{code}`", text) for code, text in _EVERYWHERE.items()]),
            ),
        ]
    )


def _entry(code: str, status: int, meaning: str, retryable: bool) -> str:
    first, *rest = sentences(meaning)
    remedy = f" **{' '.join(rest)}**" if rest else ""
    retry = "The same request may succeed later" if retryable else "Repeating the request does not help"
    lines = [f"### {code}\n", f"Status {status}. {retry}.\n"]
    lines += [*wrapped(marked(escape(first + remedy)).split()), ""]
    lines += [*wrapped(_where(code)), ""]
    return "\n".join(lines)


def _where(code: str) -> Iterator[str]:
    """Phrases that are not to be broken."""
    if code in _NOT_ANSWERS:
        yield f"From {_NOT_ANSWERS[code]}."
        return
    sources = _routes_that_answer(code)
    if sources:
        yield "From"
        yield from (f"{source}," for source in sources[:-1])
        yield f"{sources[-1]}."
    if code in _EVERYWHERE:
        yield f"From any route if {_EVERYWHERE[code]}."
    assert sources or code in _EVERYWHERE, f"say where {code} comes from"


def _routes_that_answer(code: str) -> list[str]:
    told = [route for route in routes() if code in _codes(route)]
    others = [route for route in told if not _is_write(route)]
    found = []
    if code in _WRITE_CODES:
        found.append(f"all {len(told) - len(others)} routes that write")
        told = others
    if len(told) > _LISTED_MAX:
        return [*found, f"{len(told)} {'others' if found else 'routes'}, listed [by route](#by-route)"]
    return found + [f"`{route.method} {route.path}`" for route in told]


def _by_route() -> str:
    rows = []
    for route in routes():
        codes = _codes(route)
        shown = ["*writes*"] if _is_write(route) else []
        shown += [f"`{code}`" for code in codes if not _is_write(route) or code not in _WRITE_CODES]
        rows.append((f"`{route.method} {route.path}`", ", ".join(shown)))
    return table(("route", "codes"), rows)


_WRITE_CODES: Final = {error.code for error in WRITE_ERRORS}


def _codes(route: Route) -> list[str]:
    return sorted({error.code for error in route.errors})


def _is_write(route: Route) -> bool:
    return set(_codes(route)) >= _WRITE_CODES
