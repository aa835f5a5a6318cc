"""The op by which a cluster records what its nodes must have in common."""

from corvo.ops.base import Op, op


@op
class SetSharedSettings(Op, frozen=True, tag=50):
    """Settings and limits by name, all of them. Nodes compare them with their own."""

    rules: dict[str, int]
