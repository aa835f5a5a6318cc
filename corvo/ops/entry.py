"""A log entry: a stamp of the leader's time and the ops that share it.

    <format:u8><crc32:u32><msgpack [now_ns, [op, ...]]>

The format byte lets a later version read what this one wrote. The checksum guards what the journal's
own does not see: the way from the proposer's memory to every replica's state machine.
"""

import zlib
from struct import Struct
from typing import Any, Union

import msgspec

from corvo.ops import (
    access,
    audit,
    bulk,
    cron,
    enqueue,
    fetch,
    finish,
    flow,
    idempotency,
    job_admin,
    lease,
    namespaces,
    people,
    queue_admin,
    reseal,
    shared_settings,
    upkeep,
    webhooks,
)
from corvo.ops.base import BY_NUMBER, Op

FORMAT = 1
_HEADER = Struct(">BI")

#: Imported so that every op is registered before the decoder is built.
FAMILIES = (
    access,
    audit,
    bulk,
    cron,
    enqueue,
    fetch,
    finish,
    flow,
    job_admin,
    lease,
    idempotency,
    namespaces,
    people,
    queue_admin,
    reseal,
    shared_settings,
    upkeep,
    webhooks,
)


class EntryDamaged(Exception):
    """The bytes are not an entry this version can read. Applying a guess would split the replicas."""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    now_ns: int
    ops: list[Op]


#: Any op there is, for decoders of messages that carry ops.
AnyOp: Any = Union[tuple(BY_NUMBER.values())]  # noqa: UP007 - built at run time


class _WireEntry(msgspec.Struct, array_like=True, gc=False):
    now_ns: int
    ops: list[AnyOp]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_WireEntry)


def encode(entry: Entry) -> bytes:
    body = _encoder.encode(entry)
    return _HEADER.pack(FORMAT, zlib.crc32(body)) + body


def decode(data: bytes) -> Entry:
    if len(data) < _HEADER.size:
        raise EntryDamaged("the entry is cut short")
    version, checksum = _HEADER.unpack_from(data)
    if version != FORMAT:
        raise EntryDamaged(f"entry format {version} is unknown; this version reads format {FORMAT}")
    body = memoryview(data)[_HEADER.size :]
    if zlib.crc32(body) != checksum:
        raise EntryDamaged("the entry's checksum does not match its bytes")
    try:
        wire = _decoder.decode(body)
    except msgspec.MsgspecError as error:
        raise EntryDamaged(f"the entry cannot be read: {error}") from error
    return Entry(wire.now_ns, wire.ops)
