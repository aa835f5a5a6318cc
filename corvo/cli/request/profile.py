"""Profiles: servers with names, in a file of the user's. `corvo profile` edits them.

flag  >  environment (CORVO_*)  >  profile  >  default
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

from corvo.cli.problems import Misused
from corvo.cli.request.client import Target
from corvo.cli.request.secret_files import read_secret

_SERVER_DEFAULT = "http://localhost:8080"
_KEY = "the API key"


class Profile(NamedTuple):
    server: str | None = None
    api_key_file: str | None = None
    namespace: str | None = None
    ca_file: str | None = None
    client_cert: str | None = None
    client_key: str | None = None


class Profiles(NamedTuple):
    by_name: dict[str, Profile]
    #: The one that is used when none is named.
    current: str | None


def path() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "corvo" / "profiles.toml"


def load() -> Profiles:
    file = path()
    if not file.exists():
        return Profiles({}, None)
    import tomllib  # noqa: PLC0415 - most people have no profiles and need not wait for it

    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        rows = content.get("profiles", {})
        by_name = {
            name: Profile(**{member: _text(value) for member, value in row.items()})
            for name, row in rows.items()
        }
        current = _text(content.get("current"))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise Misused(f"{file} cannot be read: {error}", "Correct it by hand, or remove it.") from None
    return Profiles(by_name, current)


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value


def save(profiles: Profiles) -> None:
    """Written beside and renamed, so that it is never half a file; readable by its owner alone."""
    import json  # noqa: PLC0415 - see load

    def quoted(text: str) -> str:
        # A JSON string is a TOML string too, but for what JSON writes as halves of a character.
        return json.dumps(text, ensure_ascii=False)

    lines = [] if profiles.current is None else [f"current = {quoted(profiles.current)}", ""]
    for name, profile in sorted(profiles.by_name.items()):
        lines.append(f"[profiles.{quoted(name)}]")
        lines += [f"{k} = {quoted(v)}" for k, v in profile._asdict().items() if v is not None]
        lines.append("")
    file = path()
    beside = file.with_suffix(".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside.touch(mode=0o600)
        beside.write_text("\n".join(lines), encoding="utf-8")
        beside.replace(file)
    except (OSError, UnicodeEncodeError) as error:
        raise Misused(f"{file} cannot be written: {error}", "XDG_CONFIG_HOME says where it is.") from None


class Flags(NamedTuple):
    """What was given on the command line."""

    profile: str | None = None
    server: str | None = None
    api_key: str | None = None
    api_key_file: str | None = None
    namespace: str | None = None
    timeout_s: float = 30.0
    ca_file: str | None = None
    client_cert: str | None = None
    client_key: str | None = None


def target(flags: Flags) -> Target:
    environment = os.environ
    profile = _chosen(flags.profile or environment.get("CORVO_PROFILE"))
    return Target(
        server=flags.server or environment.get("CORVO_URL") or profile.server or _SERVER_DEFAULT,
        api_key=_api_key(flags, profile),
        namespace=flags.namespace or environment.get("CORVO_NAMESPACE") or profile.namespace,
        timeout_s=flags.timeout_s,
        ca_file=_file(flags.ca_file, "CORVO_CA_FILE", profile.ca_file),
        **_client_certificate(flags, profile),
    )


def _file(flag: str | None, variable: str, of_profile: str | None) -> str | None:
    found = flag or os.environ.get(variable) or of_profile
    return os.path.expanduser(found) if found else None


def _client_certificate(flags: Flags, profile: Profile) -> dict[str, str | None]:
    """A certificate and its key come from the same place: one of the flags does not go with a key of the
    profile's."""
    environment = os.environ
    for certificate, key in (
        (flags.client_cert, flags.client_key),
        (environment.get("CORVO_CLIENT_CERT"), environment.get("CORVO_CLIENT_KEY")),
        (profile.client_cert, profile.client_key),
    ):
        if certificate or key:
            found = {"client_cert": certificate, "client_key": key}
            return {name: os.path.expanduser(path) if path else None for name, path in found.items()}
    return {}


def _chosen(name: str | None) -> Profile:
    profiles = load()
    name = name or profiles.current
    if name is None:
        return Profile()
    found = profiles.by_name.get(name)
    if found is None:
        raise Misused(f"there is no profile {name!r}", "`corvo profile list` shows those there are.")
    return found


def _api_key(flags: Flags, profile: Profile) -> str | None:
    """A key of the flags wins over one of the environment, and that over the profile's."""
    if flags.api_key:
        return flags.api_key
    if flags.api_key_file:
        return read_secret(_KEY, flags.api_key_file)
    environment = os.environ
    if environment.get("CORVO_API_KEY"):
        # Secrets that were made from files often end with the end of a line.
        return environment["CORVO_API_KEY"].strip()
    file = environment.get("CORVO_API_KEY_FILE") or profile.api_key_file
    return read_secret(_KEY, file) if file else None
