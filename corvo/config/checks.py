"""Checks: what the types of settings cannot say, and which settings do not go together."""

import re
from typing import Final

from corvo.config.settings import Config, ConfigError
from corvo.core.hosts import host_of, is_loopback
from corvo.core.sealing.patterns import Patterns

_HOST_NAME: Final = re.compile(r"(\*\.)?[0-9a-z_-]+(\.[0-9a-z_-]+)*|\[?[0-9a-f:.]+\]?")
_ORIGIN: Final = re.compile(r"https?://[^/?#@\s,]+", re.IGNORECASE)


def check(config: Config) -> None:
    """What types cannot say, and settings that are fine by themselves and not together."""
    try:
        config.proxy_networks()
    except ValueError as error:
        raise ConfigError(f"trusted_proxies: {error}") from None
    _check_tls(config)
    _check_names(config)
    _check_sealing(config)
    if config.chaos and not is_loopback(host_of(config.bind) or "127.0.0.1"):
        raise ConfigError(
            f"--chaos lets any client of the HTTP API kill parts of the node, and --bind {config.bind} is "
            "open to other machines. Bind to 127.0.0.1, or leave --chaos out."
        )


def _check_tls(config: Config) -> None:
    if bool(config.tls_cert) != bool(config.tls_key):
        raise ConfigError("--tls-cert and --tls-key go together: give both files, or neither")
    if config.tls_client_auth != "off" and not (config.tls_cert and config.tls_client_ca):
        raise ConfigError(
            f"--tls-client-auth {config.tls_client_auth} needs --tls-cert, --tls-key and --tls-client-ca, "
            "the file with the authorities that sign certificates of clients"
        )
    if config.tls_client_auth == "off" and config.tls_client_ca:
        raise ConfigError(
            "--tls-client-ca has no effect while --tls-client-auth is off: say optional or required, or "
            "leave it out"
        )


def _check_sealing(config: Config) -> None:
    try:
        Patterns(config.seal)
    except ValueError as error:
        raise ConfigError(f"seal: {error}") from None
    if config.seal_keys and config.seal_keys_command:
        raise ConfigError("--seal-keys and --seal-keys-command exclude each other. Leave one out.")
    if config.seal and not (config.seal_keys or config.seal_keys_command):
        raise ConfigError("--seal needs keys to seal with. Give --seal-keys or --seal-keys-command.")


def _check_names(config: Config) -> None:
    for name in config.host_names():
        if not _HOST_NAME.fullmatch(name):
            raise ConfigError(
                f"allowed_hosts: {name!r} is not the name of a host. Write names without port or path, such "
                "as corvo.example.com or *.example.com."
            )
    origins = config.origins()
    if "*" in origins and len(origins) > 1:
        raise ConfigError("cors_origin: * stands for all origins, so it stands alone")
    for origin in origins:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise ConfigError(
                f"cors_origin: {origin!r} is not an origin. Write scheme and host as a browser does, without "
                "a path, such as https://app.example.com."
            )
