"""Hello, the greeting: node id, cluster, version of the protocol, and whether it is a visitor.

Both sides greet. With TLS the name in the greeting must be the one in the certificate, because the
certificate is what proves it. Under the cluster's secret a node that knows it is believed. Without
either the link must not leave the machine; the settings see to that.
"""

import ssl
from dataclasses import dataclass
from typing import Any, Final

import msgpack

from corvo.consensus.settings import NODE_ID_BYTES_MAX

PROTOCOL: Final = 2
HELLO_BYTES_MAX: Final = 1_024


class Stranger(Exception):
    """The other side is not a node that is expected here."""


@dataclass(frozen=True, slots=True)
class Hello:
    node_id: str
    cluster_id: str
    protocol: int = PROTOCOL
    #: Here with one question, such as to be taken in; not as a member that stays.
    is_visitor: bool = False

    def encode(self) -> bytes:
        packed: bytes = msgpack.packb([self.protocol, self.cluster_id, self.node_id, self.is_visitor])
        return packed

    @classmethod
    def decode(cls, data: bytes) -> "Hello":
        try:
            fields = msgpack.unpackb(
                data,
                max_str_len=NODE_ID_BYTES_MAX,
                max_bin_len=0,
                max_array_len=8,
                max_map_len=0,
                max_ext_len=0,
            )
        except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
            raise Stranger("it does not greet in our way") from error
        match fields:
            case [int(protocol), str(cluster_id), str(node_id), bool(is_visitor)]:
                return cls(node_id, cluster_id, protocol, is_visitor)
            case [int(protocol), *_] if protocol != PROTOCOL:
                raise Stranger(f"it speaks protocol {protocol}, this node {PROTOCOL}")
        raise Stranger("it does not greet in our way")


def check(theirs: Hello, ours: Hello) -> None:
    if theirs.protocol != ours.protocol:
        raise Stranger(f"{theirs.node_id} speaks protocol {theirs.protocol}, this node {ours.protocol}")
    if theirs.cluster_id != ours.cluster_id:
        raise Stranger(f"{theirs.node_id} belongs to cluster {theirs.cluster_id!r}, this node to another")


def check_certificate(theirs: Hello, tls: Any) -> None:
    """The certificate was verified by the handshake; here its name is compared with the greeting's."""
    assert isinstance(tls, ssl.SSLObject)
    certificate: dict[str, Any] = tls.getpeercert() or {}
    names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
    if names != [theirs.node_id]:
        raise Stranger(f"it says it is {theirs.node_id}, its certificate says {names}")
