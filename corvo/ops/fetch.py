"""The op that hands jobs to workers."""

import msgspec

from corvo.core.namespace import Qualified
from corvo.ops.base import Op, op


class Claim(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One waiting worker and what it would take."""

    queues: tuple[Qualified, ...]
    worker_id: Qualified
    hostname: str
    lease_ms: int
    count: int


@op
class Fetch(Op, frozen=True, tag=3):
    """Serve these claims in order; each gets up to its count, or nothing."""

    claims: list[Claim]
