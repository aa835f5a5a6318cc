"""TLS of the edge: from PEM files to a context, and from a connection to who its client is.

    tls_cert, tls_key, tls_client_ca --load--> SSLContext
    connection --certificate_name--> Request.certificate

Every edge has the same TLS, because the acceptor speaks it before anything else sees a byte.
"""

import asyncio
import ssl
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from corvo.config import Config

#: For TLS 1.2; those of 1.3 are all good. A key of its own for each connection, and what HTTP/2 allows.
_CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
_AUTH: Final = {
    "off": ssl.CERT_NONE,
    "optional": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}


class TlsRefused(Exception):
    """The files of certificates and keys cannot be used; the message says which and why."""


class HandshakeFailed(ssl.SSLError):
    """And what is still to be said to the client about it."""

    last_words: bytes = b""


class TlsFiles(NamedTuple):
    certificate: Path
    key: Path
    client_authority: Path | None
    #: What clients are asked for: off, optional or required.
    client_auth: str

    @classmethod
    def of(cls, config: Config) -> "TlsFiles | None":
        """None if the node speaks plain HTTP."""
        if not config.tls_cert:
            return None
        authority = Path(config.tls_client_ca) if config.tls_client_ca else None
        return cls(Path(config.tls_cert), Path(config.tls_key), authority, config.tls_client_auth)

    def paths(self) -> list[Path]:
        return [path for path in (self.certificate, self.key, self.client_authority) if path is not None]


class Loaded(NamedTuple):
    context: ssl.SSLContext
    #: Whom the certificate names, and until when it is good.
    subject: str
    expires: datetime


def load(files: TlsFiles) -> Loaded:
    """Reads the files; not for the event loop. Raises TlsRefused."""
    certificate, key = _read(files.certificate), _read(files.key)
    if b"-----BEGIN CERTIFICATE-----" not in certificate:
        raise TlsRefused(f"{files.certificate} holds no certificate in PEM form")
    if b"PRIVATE KEY-----" not in key:
        raise TlsRefused(f"{files.key} holds no private key in PEM form")
    if b"ENCRYPTED" in key:
        raise TlsRefused(
            f"the key in {files.key} is protected by a password. "
            f"`openssl pkey -in {files.key} -out NEW` writes it without one"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sslobject_class = _SaysWhy
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_ciphers(_CIPHERS)
    context.set_alpn_protocols(["h2", "http/1.1"])
    try:
        # A password would be asked for on the terminal, and the node would wait for it.
        context.load_cert_chain(files.certificate, files.key, password="")
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise TlsRefused(
                f"the key in {files.key} is not that of the certificate in {files.certificate}"
            ) from None
        raise TlsRefused(f"{files.certificate} with {files.key}: {_reason(error)}") from None
    if files.client_authority is not None:
        _read(files.client_authority)
        try:
            context.load_verify_locations(files.client_authority)
        except ssl.SSLError as error:
            raise TlsRefused(f"{files.client_authority} holds no certificate: {_reason(error)}") from None
    context.verify_mode = _AUTH[files.client_auth]
    return Loaded(context, *_facts(files.certificate, certificate))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TlsRefused(f"{path} cannot be read: {error.strerror}") from None


def _facts(path: Path, pem: bytes) -> tuple[str, datetime]:
    from cryptography import x509  # noqa: PLC0415 - takes long to load, and plain HTTP needs it not

    try:
        shown = x509.load_pem_x509_certificate(pem)
    except ValueError as error:
        raise TlsRefused(f"{path}: {error}") from None
    return shown.subject.rfc4514_string(), shown.not_valid_after_utc


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or str(error)).replace("_", " ").lower()


class _SaysWhy(ssl.SSLObject):
    """The loop's transports drop the alert that says why a handshake failed, so the error brings it along.
    Without it a client whose certificate is refused sees a connection that breaks."""

    _outgoing: ssl.MemoryBIO

    @classmethod
    def _create(cls, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, **rest: Any) -> "_SaysWhy":
        assert hasattr(ssl.SSLObject, "_create"), (
            "Python has changed: look for how a context makes objects now"
        )
        made: _SaysWhy = super()._create(incoming, outgoing, **rest)  # type: ignore[misc]  # it is there
        made._outgoing = outgoing
        return made

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            failed = HandshakeFailed(*error.args)
            failed.last_words = self._outgoing.read()
            raise failed from None


def unsent_bytes(transport: asyncio.WriteTransport) -> int:
    """What the other end has not taken. A transport of TLS that was aborted cannot be asked any more."""
    try:
        return transport.get_write_buffer_size()
    except AttributeError:
        return 0


def certificate_name(transport: asyncio.BaseTransport) -> str:
    """The common name of the certificate that the client has shown, signed by an authority we trust. Empty if
    it has shown none, or one that names nobody, or more than one name."""
    shown: Any = transport.get_extra_info("peercert")
    if not shown:
        return ""
    names = [value for part in shown["subject"] for name, value in part if name == "commonName"]
    return names[0] if len(names) == 1 else ""
