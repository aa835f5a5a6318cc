"""Node identity: the key pair that makes a node the one of its name, though all nodes know the same secret.

    data folder -> [identity] -> hello

The private key never leaves the node. What it signs is the transcript of one handshake, which no other
connection ever has again: a signature that was recorded, or passed on by a node in between, is worth nothing.
The cluster notes the public keys of its members in the roster.
"""

import os
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from corvo.consensus.errors import RefusedToStart

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_MODE: Final = 0o600


class IdentityDamaged(RefusedToStart):
    """The file with the node's key cannot be used."""


class NodeIdentity:
    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw()

    @classmethod
    def generate(cls) -> "NodeIdentity":
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def of_file(cls, file: Path) -> "NodeIdentity":
        """The identity kept in this file, which is made if it is not there. Raises IdentityDamaged."""
        try:
            private = load_pem_private_key(file.read_bytes(), password=None)
        except FileNotFoundError:
            return cls._make(file)
        except (OSError, ValueError, TypeError) as error:
            raise IdentityDamaged(_damaged(file, str(error))) from None
        if not isinstance(private, Ed25519PrivateKey):
            raise IdentityDamaged(_damaged(file, "it holds a key of another kind"))
        file.chmod(_MODE)
        return cls(private)

    @classmethod
    def _make(cls, file: Path) -> "NodeIdentity":
        made = cls.generate()
        pem = made._private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        draft = file.with_suffix(".tmp")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(pem)
            stream.flush()
            os.fsync(stream.fileno())
        draft.rename(file)
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return made

    def sign(self, said: bytes) -> bytes:
        return self._private.sign(said)


def has_signed(public: bytes, signature: bytes, said: bytes) -> bool:
    if len(public) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, said)
    except (InvalidSignature, ValueError):
        return False
    return True


def _damaged(file: Path, reason: str) -> str:
    return (
        f"{file} is no key of a node: {reason}. Restore it from a backup; or delete it, start the node, and "
        "run `corvo cluster forget-key` with its id at another node of the cluster."
    )
