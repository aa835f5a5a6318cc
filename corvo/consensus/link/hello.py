"""Hello, the greeting: who a node is, how it proves it, and whether it is a visitor.

Both sides greet. With TLS the name in the greeting must be the one in the certificate, because the
certificate is what proves it. Under the cluster's secret a greeting carries the node's key and a signature
over this very handshake; whether the key is that of the node so called is for the mesh to say. Without
either the link must not leave the machine; the settings see to that.
"""

import ssl
from dataclasses import dataclass, replace
from typing import Any, Final

import msgpack

from corvo.consensus.identity import SIGNATURE_BYTES, NodeIdentity, has_signed
from corvo.consensus.settings import NODE_ID_BYTES_MAX
from corvo.core.hosts import is_node_id

PROTOCOL: Final = 3
#: Spoken by nodes from before keys. They are let in until their key is known, so that a cluster can be
#: upgraded node by node.
PROTOCOL_WITHOUT_KEYS: Final = 2
PROTOCOLS: Final = (PROTOCOL, PROTOCOL_WITHOUT_KEYS)
HELLO_BYTES_MAX: Final = 1_024
_CONTEXT: Final = b"corvo node identity 1"


class Stranger(Exception):
    """The other side is not a node that is expected here."""


@dataclass(frozen=True, slots=True)
class Hello:
    node_id: str
    cluster_id: str
    protocol: int = PROTOCOL
    #: Here with one question, such as to be taken in; not as a member that stays.
    is_visitor: bool = False
    #: The node's public key and what it signed with it; empty where something else proves who it is.
    key: bytes = b""
    signature: bytes = b""

    def signed(self, identity: NodeIdentity, transcript: bytes, *, is_dialler: bool) -> "Hello":
        """This greeting with proof, for the one connection with this transcript."""
        keyed = replace(self, key=identity.public)
        return replace(keyed, signature=identity.sign(keyed._to_sign(transcript, is_dialler)))

    def is_proven(self, transcript: bytes, *, is_dialler: bool) -> bool:
        """Whether the side that greets so, the dialler or the other one, has the key it shows."""
        return has_signed(self.key, self.signature, self._to_sign(transcript, is_dialler))

    def _to_sign(self, transcript: bytes, is_dialler: bool) -> bytes:
        said: bytes = msgpack.packb(
            [_CONTEXT, is_dialler, transcript, self.protocol, self.cluster_id, self.node_id, self.is_visitor]
        )
        return said + self.key

    def encode(self) -> bytes:
        fields = [self.protocol, self.cluster_id, self.node_id, self.is_visitor]
        if self.protocol != PROTOCOL_WITHOUT_KEYS:
            fields += [self.key, self.signature]
        packed: bytes = msgpack.packb(fields)
        return packed

    @classmethod
    def decode(cls, data: bytes) -> "Hello":
        try:
            fields = msgpack.unpackb(
                data,
                max_str_len=NODE_ID_BYTES_MAX,
                max_bin_len=SIGNATURE_BYTES,
                max_array_len=8,
                max_map_len=0,
                max_ext_len=0,
            )
        except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
            raise Stranger("it does not greet in our way") from error
        match fields:
            case [3, str(cluster_id), str(node_id), bool(visits), bytes(key), bytes(signature)]:
                hello = cls(node_id, cluster_id, PROTOCOL, visits, key, signature)
            case [2, str(cluster_id), str(node_id), bool(visits)]:
                hello = cls(node_id, cluster_id, PROTOCOL_WITHOUT_KEYS, visits)
            case [int(protocol), *_] if protocol not in PROTOCOLS:
                raise Stranger(f"it speaks protocol {protocol}, this node {PROTOCOL}")
            case _:
                raise Stranger("it does not greet in our way")
        if not is_node_id(hello.node_id):
            raise Stranger("what it says its id is cannot be one")
        return hello


def check(theirs: Hello, ours: Hello) -> None:
    if theirs.cluster_id != ours.cluster_id:
        raise Stranger(f"{theirs.node_id} belongs to cluster {theirs.cluster_id!r}, this node to another")


def check_certificate(theirs: Hello, tls: Any) -> None:
    """The certificate was verified by the handshake; here its name is compared with the greeting's."""
    assert isinstance(tls, ssl.SSLObject)
    certificate: dict[str, Any] = tls.getpeercert() or {}
    names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
    if names != [theirs.node_id]:
        raise Stranger(f"it says it is {theirs.node_id}, its certificate says {names}")
