"""Audit records: who changed what, from where, and what came of it.

Records of each namespace are numbered without gaps, so that its newest ones, its oldest ones and how many
there are can be told without looking at any other. Nobody can count another namespace's records by them.
"""

from typing import Any, Final

import msgspec

_ID_PREFIX: Final = "audit_"


class AuditPlace(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Where a record is kept."""

    #: ALL for what concerns the whole cluster.
    namespace: str
    number: int


class AuditRecord(msgspec.Struct, array_like=True, frozen=True, gc=False):
    #: No other record has this time.
    at_ns: int
    place: AuditPlace
    principal: str
    role: str
    #: The address of the client, as far as it is known.
    client: str
    method: str
    path: str
    query: str
    request_id: str
    #: What the route does, in words.
    summary: str
    #: A few facts about what was asked for; never a secret, never a payload.
    facts: dict[str, Any]
    #: As in the answer to the client; 0 if it is not known what came of it.
    status: int
    #: The code of the error with which it was refused; empty if it was not.
    code: str
    #: How many jobs it changed.
    affected: int
    #: How many equal refusals it stands for.
    times: int = 1

    @property
    def id(self) -> str:
        return f"{_ID_PREFIX}{self.at_ns:016x}"

    @property
    def outcome(self) -> str:
        if self.code:
            return "refused"
        return "done" if self.status else "begun"


def time_of_id(record_id: str) -> int | None:
    """When the record with this id was written; None if it is no id of a record."""
    digits = record_id.removeprefix(_ID_PREFIX)
    if len(digits) != 16 or not record_id.startswith(_ID_PREFIX):
        return None
    try:
        return int(digits, 16)
    except ValueError:
        return None


class AuditBounds(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Which records of a namespace are kept."""

    namespace: str
    first: int
    last: int
    #: When the first of them was written, if there is one.
    first_ns: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1


_record_decoder: Final = msgspec.msgpack.Decoder(AuditRecord)
_bounds_decoder: Final = msgspec.msgpack.Decoder(AuditBounds)
encode_audit = msgspec.msgpack.Encoder().encode
decode_audit = _record_decoder.decode
decode_bounds = _bounds_decoder.decode
