"""Where the server is and who is asking: arguments before environment before defaults."""

import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict
from urllib.parse import SplitResult, urlsplit

from corvo_sdk.codec import Codec
from corvo_sdk.http1 import check_headers
from corvo_sdk.retrying import RetryPolicy
from corvo_sdk.version import __version__

#: A hundred years.
_FOR_EVER_S = 100 * 365 * 86_400.0


class ClientOptions(TypedDict, total=False):
    """What may be given to a Client besides its address."""

    api_key: str
    #: A file that holds the key, such as a mounted secret.
    api_key_file: str
    #: Where to act, for a key of all namespaces.
    namespace: str
    #: Seconds for one request, not counting what the server is asked to wait.
    timeout: float
    retry: RetryPolicy
    #: Sent with every request.
    headers: dict[str, str]
    #: For servers behind TLS: False to trust everybody, or an ssl.SSLContext.
    verify: Any
    #: File with the authorities to trust instead of the system's, PEM.
    ca_file: str
    #: Files with a certificate to show and its key, PEM; the key may be in the same file.
    client_cert: str
    client_key: str
    #: Address of an HTTP proxy.
    proxy: str
    #: Connections kept open for reuse.
    connections: int
    #: Encodes payloads, results and checkpoints, so that the server cannot read them: see corvo_sdk.codec.
    codec: Codec


@dataclass(frozen=True, slots=True)
class Settings:
    url: str
    headers: dict[str, str]
    timeout_s: float = 30.0
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    verify: Any = True
    ca_file: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    proxy: str | None = None
    connections: int = 20
    codec: Codec | None = None


def settings(url: str | None, options: ClientOptions) -> Settings:
    """CORVO_URL, CORVO_API_KEY, CORVO_API_KEY_FILE, CORVO_NAMESPACE, CORVO_CA_FILE, CORVO_CLIENT_CERT and
    CORVO_CLIENT_KEY fill in what was not said."""
    headers = {
        "content-type": "application/json",
        "x-corvo-client-name": "corvo-python",
        # A member that the server does not know is a mistake to hear of, not one to have ignored.
        "prefer": "handling=strict",
        "x-corvo-client-version": __version__,
    }
    api_key = _api_key(options)
    if api_key:
        headers["x-api-key"] = api_key
    namespace = options.get("namespace") or os.environ.get("CORVO_NAMESPACE")
    if namespace:
        headers["x-corvo-namespace"] = namespace
    headers |= options.get("headers") or {}
    check_headers(headers)
    return Settings(
        url=_address(url or os.environ.get("CORVO_URL") or "http://127.0.0.1:8080"),
        headers=headers,
        timeout_s=_timeout(options.get("timeout", 30.0)),
        retry=options.get("retry") or RetryPolicy(),
        **_trust(options),
        proxy=options.get("proxy"),
        connections=options.get("connections", 20),
        codec=options.get("codec"),
    )


def _api_key(options: ClientOptions) -> str:
    """What was said to the client wins over the environment. Secrets often end with the end of a line."""
    key, file = options.get("api_key"), options.get("api_key_file")
    if not key and not file:
        key, file = os.environ.get("CORVO_API_KEY"), os.environ.get("CORVO_API_KEY_FILE")
    if key or not file:
        return (key or "").strip()
    try:
        found = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise ValueError(f"the file of the API key cannot be read: {error}") from None
    if not found:
        # Without it the server would take us for somebody else, or for nobody.
        raise ValueError(f"the file of the API key is empty: {file}")
    return found


def _trust(options: ClientOptions) -> dict[str, Any]:
    """Who made a context has said all there is to say; the environment is not asked then."""
    verify = options.get("verify", True)
    given = {name: options.get(name) for name in ("ca_file", "client_cert", "client_key")}
    if isinstance(verify, ssl.SSLContext):
        if any(given.values()):
            raise ValueError(
                "verify is a context already; load ca_file and client_cert into it, or leave it out"
            )
        return {"verify": verify}
    if verify is False and given["ca_file"]:
        raise ValueError("verify=False trusts everybody, so a ca_file has no effect; leave out one of them")
    found: dict[str, Any] = {
        name: value or os.environ.get(f"CORVO_{name.upper()}") or None for name, value in given.items()
    }
    if found["client_key"] and not found["client_cert"]:
        raise ValueError("client_key is the key of a client_cert; give that, too")
    if verify is False:
        found["ca_file"] = None
    return found | {"verify": verify}


def _timeout(seconds: float) -> float:
    """For ever is more than sockets can count."""
    if not seconds > 0:  # Nor is it a number that is none.
        raise ValueError(f"timeout: {seconds!r} is no time at all; give seconds, or math.inf for any number")
    return min(float(seconds), _FOR_EVER_S)


def _address(given: str) -> str:
    """A mistake is told here, not after ten seconds of trying."""
    text = (given if "//" in given else f"http://{given}").rstrip("/")
    try:
        url = urlsplit(text)
        good = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:  # The port is no number, or too large.
        good = False
    if good and "@" in url.netloc:
        # It would be sent nowhere, and shown with every error.
        raise ValueError("the address of a server holds no name and no password; give an api_key, or headers")
    if not good or not _can_be_sent(url):
        raise ValueError(f"{given!r} is not the address of a server; write http://HOST:PORT, or with a /PATH")
    return text


def _can_be_sent(url: SplitResult) -> bool:
    """Our own paths are put behind it, so there can be nothing but a path."""
    whole = url.netloc + url.path
    return whole.isprintable() and " " not in whole and url.path.isascii() and not (url.query or url.fragment)
