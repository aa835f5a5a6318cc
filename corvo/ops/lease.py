"""Ops that keep, hand back or take away leases."""

import msgspec

from corvo.core.namespace import Reach
from corvo.ops.base import Op, op


class Beat(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A sign of life for one job."""

    job_id: str
    token: int | None
    progress: bytes | None = None
    checkpoint: bytes | None = None


@op
class Heartbeat(Op, frozen=True, tag=6):
    """A sign of life for all jobs of a worker, in the order given."""

    beats: list[Beat]
    reach: Reach | None = None


@op
class Release(Op, frozen=True, tag=7):
    """Hand a lease back unfinished: the attempt is not counted."""

    job_id: str
    token: int | None
    checkpoint: bytes | None
    delay_ms: int
    reach: Reach | None = None


@op
class Reclaim(Op, frozen=True, tag=8):
    """Take back leases that have run out."""

    limit: int
    #: Leases a job may lose in a row before it is given up as poison. 0 means never.
    losses_max: int
