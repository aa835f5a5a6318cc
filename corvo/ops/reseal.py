"""Reseal: replace sealed values by the same ones under another key. What is in them the log never learns."""

import msgspec

from corvo.core.job import Chain, JobError
from corvo.core.sealing.form import Field
from corvo.ops.base import Op, op


class ResealedJob(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """New values of one job. Each comes with the digest of the one it replaces, and is left out if that one
    has changed meanwhile: then it was sealed anew by whoever changed it."""

    job_id: str
    values: dict[Field, tuple[bytes, bytes]] = {}
    chain: tuple[bytes, Chain] | None = None
    #: By number.
    errors: dict[int, tuple[bytes, JobError]] = {}


@op
class Reseal(Op, frozen=True, tag=90):
    jobs: list[ResealedJob]
