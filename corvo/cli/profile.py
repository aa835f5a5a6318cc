"""Profiles: servers with names, in a file of the user's. `corvo profile` edits them.

flag  >  environment (CORVO_*)  >  profile  >  default
"""

import os
from pathlib import Path
from typing import NamedTuple

from corvo.cli.client import Target
from corvo.cli.problems import Misused
from corvo.cli.secret_files import read_secret

_SERVER_DEFAULT = "http://localhost:8080"
_KEY = "the API key"


class Profile(NamedTuple):
    server: str | None = None
    api_key_file: str | None = None
    namespace: str | None = None


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
        content = tomllib.loads(file.read_text())
        rows = content.get("profiles", {})
        by_name = {name: Profile(**row) for name, row in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise Misused(f"{file} cannot be read: {error}", "Correct it by hand, or remove it.") from None
    return Profiles(by_name, content.get("current"))


def save(profiles: Profiles) -> None:
    """Written beside and renamed, so that it is never half a file; readable by its owner alone."""
    import json  # noqa: PLC0415 - see load

    lines = [] if profiles.current is None else [f"current = {json.dumps(profiles.current)}", ""]
    for name, profile in sorted(profiles.by_name.items()):
        lines.append(f"[profiles.{json.dumps(name)}]")
        # A JSON string is a TOML string too.
        lines += [f"{k} = {json.dumps(v)}" for k, v in profile._asdict().items() if v is not None]
        lines.append("")
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".new")
    beside.touch(mode=0o600)
    beside.write_text("\n".join(lines))
    beside.replace(file)


class Flags(NamedTuple):
    """What was given on the command line."""

    profile: str | None = None
    server: str | None = None
    api_key: str | None = None
    api_key_file: str | None = None
    namespace: str | None = None
    timeout_s: float = 30.0


def target(flags: Flags) -> Target:
    environment = os.environ
    profile = _chosen(flags.profile or environment.get("CORVO_PROFILE"))
    return Target(
        server=flags.server or environment.get("CORVO_URL") or profile.server or _SERVER_DEFAULT,
        api_key=_api_key(flags, profile),
        namespace=flags.namespace or environment.get("CORVO_NAMESPACE") or profile.namespace,
        timeout_s=flags.timeout_s,
    )


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
    """A key that is named later never wins over one that is named earlier."""
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
