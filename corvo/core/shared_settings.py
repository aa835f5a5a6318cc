"""Shared settings: what all nodes of a cluster must have in common, as it is kept with the state."""

import msgspec

#: Name -> value: settings in lower case, limits in capitals.
SharedSettings = dict[str, int]

_decoder = msgspec.msgpack.Decoder(SharedSettings)
#: Sorted, so that all replicas write the same bytes.
encode_shared_settings = msgspec.msgpack.Encoder(order="sorted").encode


def decode_shared_settings(stored: bytes | None) -> SharedSettings | None:
    return None if stored is None else _decoder.decode(stored)
