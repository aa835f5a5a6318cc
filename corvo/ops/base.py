"""Ops: what can be written to the log. Frozen structs, each with a number that is never reused.

Everything is decided before an op is proposed: ids, random picks and limits are fields; the time is
the entry's. So a log replays to the same bytes on any machine, at any time.
"""

from typing import TypeVar

import msgspec

#: number -> op class.
BY_NUMBER: dict[int, type["Op"]] = {}


class Op(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One intended change. Encoded as an array that begins with the op's number."""


OpType = TypeVar("OpType", bound=type[Op])


def op(cls: OpType) -> OpType:
    """Register an op class under its number."""
    number = cls.__struct_config__.tag
    assert isinstance(number, int), f"{cls.__name__} needs a number: class {cls.__name__}(Op, tag=...)"
    assert number not in BY_NUMBER, f"op number {number} is taken by {BY_NUMBER[number].__name__}"
    BY_NUMBER[number] = cls
    return cls
