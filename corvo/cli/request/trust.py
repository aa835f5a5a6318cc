"""Which servers are trusted, and what they are shown; what to do when one side does not trust the other."""

import ssl
from typing import TYPE_CHECKING

from corvo.cli.problems import Misused

if TYPE_CHECKING:
    from corvo.cli.request.client import Target

#: Numbers of OpenSSL for what may be wrong with a certificate.
_EXPIRED = 10
_NOT_YET = 9
_UNKNOWN_SIGNER = (2, 18, 19, 20, 21)
_ANOTHER_HOST = (62, 64)
#: What OpenSSL makes of an answer that is no TLS.
_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL")


def context_of(target: "Target") -> ssl.SSLContext:
    """Raises Misused if a file is of no use."""
    try:
        context = ssl.create_default_context(cafile=target.ca_file)
    except (OSError, ValueError) as error:  # An SSLError is an OSError.
        raise Misused(f"the CA file {target.ca_file} {_reason(error)}") from None
    if target.client_key and not target.client_cert:
        raise Misused("a client key without its certificate", "Give --client-cert as well.")
    if target.client_cert:
        try:
            # Without this a key with a password would be asked for on the terminal.
            context.load_cert_chain(target.client_cert, target.client_key, password="")
        except (OSError, ValueError) as error:
            files = " with ".join(filter(None, (target.client_cert, target.client_key)))
            raise Misused(f"the client certificate {files} {_reason(error)}") from None
    return context


def _reason(error: Exception) -> str:
    if not isinstance(error, ssl.SSLError):
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if error.reason == "KEY_VALUES_MISMATCH":
        return "cannot be used: the key is not that of the certificate"
    return "cannot be used: it holds no certificate or key in PEM form, or one with a password"


def hint_of(error: Exception) -> str:
    """What to do about an error of TLS; empty if it is none."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _hint_of_mistrust(error)
    if not isinstance(error, ssl.SSLError):
        return ""
    reason = error.reason or ""
    if reason in _NOT_TLS:
        return "It does not speak TLS there: write http:// instead of https://, or give the port that does."
    if "CERTIFICATE_REQUIRED" in reason or "HANDSHAKE_FAILURE" in reason:
        return "It wants to see a certificate: give --client-cert and --client-key."
    if "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason):
        return "It does not accept our certificate: --client-cert must be signed by an authority it trusts."
    return ""


def _hint_of_mistrust(error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code == _EXPIRED:
        return "Its certificate has expired: whoever runs it must renew it."
    if error.verify_code == _NOT_YET:
        return "Its certificate is not valid yet: look at the clocks of both machines."
    if error.verify_code in _UNKNOWN_SIGNER:
        return "Nobody we trust has signed its certificate: give its authority by --ca-file (CORVO_CA_FILE)."
    if error.verify_code in _ANOTHER_HOST:
        return "Its certificate is for another host: give the name that it has been issued for."
    return "--ca-file or CORVO_CA_FILE names the certificates of authorities to trust."
