"""Certificates made for a test: an authority, and PEM files as an operator would have them."""

import ssl
from pathlib import Path
from typing import Any

import trustme
from cryptography import x509


class Authority:
    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._folder = folder
        self._ca = trustme.CA()
        self.file = folder / f"{name}.pem"
        self._ca.cert_pem.write_to_path(str(self.file))

    def write(self, name: str, *hosts: str, **options: Any) -> "PemFiles":
        """A certificate for these hosts, `127.0.0.1` and `localhost` unless said otherwise. Files that are
        there are replaced, as by a program that renews certificates."""
        files = PemFiles(self._folder / f"{name}.crt", self._folder / f"{name}.key")
        issued = self._ca.issue_cert(*(hosts or ("127.0.0.1", "localhost")), **options)
        for file, pems in (
            (files.certificate, issued.cert_chain_pems),
            (files.key, [issued.private_key_pem]),
        ):
            beside = file.with_suffix(".new")
            beside.write_bytes(b"".join(pem.bytes() for pem in pems))
            beside.replace(file)
        return files

    def trust(self, shown: "PemFiles | None" = None) -> ssl.SSLContext:
        """What a client needs to trust this authority, and to show a certificate of its own."""
        context = ssl.create_default_context(cafile=str(self.file))
        if shown is not None:
            context.load_cert_chain(shown.certificate, shown.key)
        return context


class PemFiles:
    def __init__(self, certificate: Path, key: Path) -> None:
        self.certificate = certificate
        self.key = key

    @property
    def settings(self) -> dict[str, str]:
        """Of a node that shows it."""
        return {"tls_cert": str(self.certificate), "tls_key": str(self.key)}

    @property
    def flags(self) -> tuple[str, ...]:
        return ("--tls-cert", str(self.certificate), "--tls-key", str(self.key))

    def serial(self) -> int:
        return serial_of(ssl.PEM_cert_to_DER_cert(_first(self.certificate.read_text())))


def serial_of(der: bytes) -> int:
    return x509.load_der_x509_certificate(der).serial_number


def _first(chain: str) -> str:
    end = "-----END CERTIFICATE-----\n"
    return chain.partition(end)[0] + end
