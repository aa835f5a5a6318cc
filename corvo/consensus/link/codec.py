"""Codec: messages as bytes, and back only if every field is what it should be.

    outbox -> [codec] -> frames ~~~ frames -> [codec] -> driver

msgpack carries values, never code. What a peer sends is checked here once, so the engine may trust the
shape of a message, though not yet its truth.
"""

from collections.abc import Callable
from typing import Any, Final

import msgpack

from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.roster import ROSTER, Roster
from corvo.consensus.settings import CHUNK_BYTES_MAX, COMMAND_BYTES_MAX, MESSAGE_ENTRIES_MAX

#: Mail of any size travels in pieces of this size, so that consensus messages get in between.
MAIL_PIECE_BYTES: Final = 128 * 1024
#: One entry of the largest size, or many small ones, with what surrounds them.
MESSAGE_BYTES_MAX: Final = COMMAND_BYTES_MAX + 64 * 1024
_NUMBER_MAX: Final = 2**63


class Malformed(Exception):
    """These bytes are no message. Their sender is broken, or no node of ours."""


def encode(message: PeerMessage) -> bytes:
    packed: bytes = msgpack.packb(message)
    return packed


def decode(data: bytes | memoryview) -> PeerMessage:
    try:
        message = msgpack.unpackb(
            data,
            use_list=False,
            strict_map_key=True,
            max_str_len=64,
            max_bin_len=COMMAND_BYTES_MAX + 1,
            max_array_len=MESSAGE_ENTRIES_MAX,
            max_map_len=16,
            max_ext_len=0,
        )
    except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
        raise Malformed(f"not msgpack within the limits: {error}") from error
    if not isinstance(message, dict):
        raise Malformed("a message is a map")
    _check(message)
    return message


def _check(message: dict[str, Any]) -> None:
    kind = message.get("type")
    fields = _FIELDS.get(kind) if isinstance(kind, str) else None
    if fields is None:
        raise Malformed(f"unknown message type {kind!r}")
    if message.keys() != fields.keys() | {"type"}:
        raise Malformed(f"{kind} has the wrong fields")
    for name, is_valid in fields.items():
        if not is_valid(message[name]):
            raise Malformed(f"{kind}.{name} has a wrong value")
    if kind == "append_entries":
        _check_entries(message)


def _check_entries(message: PeerMessage) -> None:
    """Entries continue where the message says, and none is from a later term than its sender."""
    expected, lowest = message["prevLogIdx"] + 1, message["prevLogTerm"]
    for entry in message["entries"]:
        if not _is_entry(entry):
            raise Malformed("append_entries has something that is no entry")
        command, index, term = entry
        if command[:1] == ROSTER and not Roster.is_sound(command[1:]):
            raise Malformed(f"entry {index} is no roster, though it says so")
        if index != expected or not lowest <= term <= message["term"]:
            raise Malformed(f"append_entries has entry {index} of term {term} out of order")
        expected, lowest = index + 1, term


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value < _NUMBER_MAX


def _is_number_or_none(value: object) -> bool:
    return value is None or _is_number(value)


def _is_flag(value: object) -> bool:
    return type(value) is bool


def _is_chunk(value: object) -> bool:
    return type(value) is bytes and len(value) <= CHUNK_BYTES_MAX


def _is_mail(value: object) -> bool:
    return type(value) is bytes and len(value) <= MAIL_PIECE_BYTES


def _is_tuple(value: object) -> bool:
    return type(value) is tuple


def _is_entry(value: object) -> bool:
    match value:
        case (bytes(), index, term):
            return _is_number(index) and _is_number(term)
    return False


#: Every message there is, and what each field must be.
_FIELDS: Final[dict[str, dict[str, Callable[[object], bool]]]] = {
    "append_entries": {
        "term": _is_number,
        "sequence": _is_number,
        "commit_index": _is_number,
        "prevLogIdx": _is_number,
        "prevLogTerm": _is_number,
        "entries": _is_tuple,
    },
    "keepalive": {"term": _is_number},
    "next_node_idx": {
        "term": _is_number,
        "sequence": _is_number,
        "next_node_idx": _is_number,
        "stored_index": _is_number,
        "success": _is_flag,
        "reset": _is_flag,
        "is_full": _is_flag,
    },
    "pre_vote": {
        "term": _is_number,
        "round": _is_number,
        "last_log_index": _is_number,
        "last_log_term": _is_number,
    },
    "pre_vote_ok": {"round": _is_number},
    "stale_term": {"term": _is_number},
    "request_vote": {"term": _is_number, "last_log_index": _is_number, "last_log_term": _is_number},
    "response_vote": {"term": _is_number},
    "timeout_now": {"term": _is_number},
    "mail": {"piece": _is_mail, "is_last": _is_flag},
    "snapshot_chunk": {
        "term": _is_number,
        "transfer": _is_number,
        "number": _is_number,
        "checksum": _is_number,
        "chunk": _is_chunk,
        "is_last": _is_flag,
    },
    "snapshot_reply": {
        "term": _is_number,
        "transfer": _is_number,
        "number": _is_number,
        "success": _is_flag,
        "installed_index": _is_number_or_none,
    },
}
MESSAGE_TYPES: Final = frozenset(_FIELDS)
