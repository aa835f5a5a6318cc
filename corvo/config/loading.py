"""Loading: settings from flags, environment, file and defaults, in this order."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from corvo.config.checks import check
from corvo.config.settings import Config, ConfigError, Setting, settings
from corvo.core.times import parse_duration_ms

#: Settings that are secrets themselves: a command line is no place for them.
SECRET: Final = frozenset({"cluster_secret"})

#: Flags and variables of the reference server that have no meaning here; accepted with a warning.
WITHOUT_MEANING: Final = frozenset(
    {
        "apply_multi_mode",
        "fetch_poll_interval",
        "idle_fetch_sleep",
        "license_key",
        "license_public_key",
        "no_compression",
        "raft_store",
        "sqlite_mirror_async",
    }
)

#: Settings that nobody else should read.
SECRETS: Final = frozenset({"cluster_secret", "cluster_secret_next"})


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> tuple[Config, list[str]]:
    """The settings, and a sentence for each that was given but means nothing here."""
    by_name = {setting.name: setting for setting in settings()}
    values: dict[str, Any] = {}
    warnings: list[str] = []
    for source, given in (
        (f"{file}", _read_file(file)),
        ("environment", _read_environment(environment)),
        ("command line", flags),
    ):
        for name, value in given.items():
            if name in WITHOUT_MEANING:
                warnings.append(f"{name} ({source}) has no meaning in Corvo and is ignored")
            elif name in by_name:
                if name in SECRETS and flags is given:
                    warnings.append(_told_to_all(by_name[name]))
                values[name] = _convert(by_name[name], value, source)
            elif source != "environment":
                raise ConfigError(f"{source}: there is no setting {name!r}")
    try:
        config = msgspec.convert(values, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error)) from None
    check(config)
    return config, warnings


def _told_to_all(setting: Setting) -> str:
    return (
        f"{setting.flag} on the command line can be read by every user of this machine; use "
        f"{setting.variable}, a file, or --cluster-secret-file"
    )


def _read_file(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        with file.open("rb") as stream:
            return {name.replace("-", "_"): value for name, value in tomllib.load(stream).items()}
    except (OSError, ValueError) as error:  # Not TOML, or not even UTF-8.
        raise ConfigError(f"{file}: {error}") from None


def _read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix("CORVO_").lower(): value
        for name, value in environment.items()
        if name.startswith("CORVO_")
    }


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _convert(setting: Setting, value: Any, source: str) -> Any:
    """Text from a flag or the environment becomes what the struct wants; a file has types already."""
    where = f"{setting.name} ({source})"
    if setting.is_duration and isinstance(value, str):
        return parse_duration_ms(value, where)
    if isinstance(value, setting.type) and not (setting.type is int and isinstance(value, bool)):
        return value
    if isinstance(value, str):
        if setting.type is bool and value.lower() in _TRUE | _FALSE:
            return value.lower() in _TRUE
        if setting.type is int:
            try:
                return int(value)
            except ValueError:
                pass
    raise ConfigError(f"{where}: {value!r} is not a {setting.type.__name__}")
