"""Meta: where the store stands. Written in the same batch as the data of every entry."""

from typing import Final

import msgspec

#: Bump when keys or documents change in a way an older or newer version could not read.
FORMAT: Final = 1


class Meta(msgspec.Struct, array_like=True, frozen=True, gc=False):
    format: int
    #: The last entry applied, and the term it was written in.
    index: int
    term: int
    #: The latest time any entry or job was stamped with: time never runs backwards.
    last_ns: int
    #: The number of the last event, and of the oldest one still kept.
    last_seq: int
    first_seq: int
    #: No event record is kept for entries before this one.
    first_event_index: int
    #: Of everything ever written, entry by entry: replicas that applied the same entries have the same.
    checksum: int = 0


#: Consensus numbers its first real entry 2: entry 1 is its own beginning.
GENESIS: Final = Meta(format=FORMAT, index=1, term=0, last_ns=0, last_seq=0, first_seq=1, first_event_index=2)

_decoder: Final = msgspec.msgpack.Decoder(Meta)
encode_meta = msgspec.msgpack.Encoder().encode
decode_meta = _decoder.decode
