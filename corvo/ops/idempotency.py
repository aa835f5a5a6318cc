"""The ops behind `Idempotency-Key`: do what follows once, and answer the same if asked again."""

from corvo.core.namespace import Qualified
from corvo.ops.base import Op, op


@op
class Once(Op, frozen=True, tag=16):
    """Covers the next `count` ops of the entry."""

    key: Qualified
    #: Of the request as the client sent it; another digest under the same key is a mistake to report.
    digest: bytes
    count: int


@op
class Report(Op, frozen=True, tag=28):
    """Changes nothing. What a request that took several entries came to, so that Once can remember it."""

    #: An encoded result (corvo.ops.results).
    result: bytes
