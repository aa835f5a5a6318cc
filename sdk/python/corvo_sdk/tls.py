"""How a server is trusted, and what it is shown: a context from settings, sentences from what went wrong."""

import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corvo_sdk.settings import Settings

#: Numbers of OpenSSL for what may be wrong with a certificate.
_EXPIRED = (10,)
_NOT_YET = (9,)
_UNKNOWN_SIGNER = (2, 18, 19, 20, 21)
_ANOTHER_HOST = (62, 64)

#: What a server says that does not let us in, by what its alert is called.
_WANTS_CERTIFICATE = ("CERTIFICATE_REQUIRED", "HANDSHAKE_FAILURE")
_REFUSES_CERTIFICATE = (
    "ALERT_UNKNOWN_CA",
    "ALERT_BAD_CERTIFICATE",
    "ALERT_CERTIFICATE_EXPIRED",
    "ALERT_CERTIFICATE_REVOKED",
    "ALERT_CERTIFICATE_UNKNOWN",
    "ALERT_UNSUPPORTED_CERTIFICATE",
)
#: What OpenSSL makes of an answer that is no TLS.
_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL")


def context_of(settings: "Settings") -> ssl.SSLContext:
    """A context of its own, unless somebody made one. Raises ValueError if a file is of no use."""
    if isinstance(settings.verify, ssl.SSLContext):
        return settings.verify
    if settings.ca_file:
        context = _trusting(settings.ca_file)
    else:
        # Which certificates a system trusts is found out by httpx2 on every kind of system.
        from httpx2 import create_ssl_context  # noqa: PLC0415 - takes long to load; plain connections need it not

        context = create_ssl_context(settings.verify)
    if settings.client_cert:
        _show(context, settings.client_cert, settings.client_key)
    return context


def _trusting(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ValueError) as error:  # An SSLError is an OSError.
        raise ValueError(f"ca_file {ca_file}: {_reason(error)}") from None


def _show(context: ssl.SSLContext, certificate: str, key: str | None) -> None:
    try:
        # Without this a key with a password would be asked for on the terminal.
        context.load_cert_chain(certificate, key or None, password="")
    except (OSError, ValueError) as error:
        files = certificate if not key else f"{certificate} with client_key {key}"
        raise ValueError(f"client_cert {files}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        if error.reason == "KEY_VALUES_MISMATCH":
            return "the key is not that of the certificate"
        return "it holds no certificate or key in PEM form, or one with a password"
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def refusal(error: BaseException) -> str | None:
    """What to do about an error of TLS that another try does not cure; None if it is none."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _mistrust(error)
    if not isinstance(error, ssl.SSLError):
        return None
    reason = error.reason or ""
    if reason in _NOT_TLS:
        return "it does not speak TLS there; write http:// instead of https://, or give the port that does"
    if any(name in reason for name in _WANTS_CERTIFICATE):
        return "it wants to see a certificate; give client_cert and client_key, or CORVO_CLIENT_CERT and _KEY"
    if any(name in reason for name in _REFUSES_CERTIFICATE):
        return "it does not accept our certificate; client_cert must be signed by an authority that it trusts"
    return None


def _mistrust(error: ssl.SSLCertVerificationError) -> str:
    number = error.verify_code
    if number in _EXPIRED:
        return "its certificate has expired; whoever runs it must renew it"
    if number in _NOT_YET:
        return "its certificate is not valid yet; look at the clocks of both machines"
    if number in _UNKNOWN_SIGNER:
        return (
            "its certificate is signed by nobody we trust; give the authority's as ca_file or CORVO_CA_FILE"
        )
    if number in _ANOTHER_HOST:
        return f"its certificate is for another host: {error.verify_message}"
    return f"its certificate cannot be trusted: {error.verify_message}"
