"""`?wait=30s`: a request that may take its time."""

from corvo.core.times import parse_duration_ms
from corvo.http.wire.message import Request

#: A wait in a request is bounded.
_WAIT_MS_MAX = 300_000


def wait_ms(request: Request) -> int:
    """How long the caller wants to wait; 0 if it did not say."""
    text = request.query.get("wait")
    return min(parse_duration_ms(text, "wait"), _WAIT_MS_MAX) if text else 0
