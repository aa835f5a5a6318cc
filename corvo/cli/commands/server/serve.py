"""`corvo serve`: run a node. Its flags are the settings struct."""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from corvo.cli.request.secret_files import warn_of_exposure
from corvo.config import SECRET, WITHOUT_MEANING, Setting, load, settings
from corvo.core.errors import CorvoError
from corvo.core.times import format_duration


def _option(setting: Setting) -> click.Option:
    shown = format_duration(setting.default) if setting.is_duration else setting.default
    if isinstance(shown, bool):
        shown = str(shown).lower()
    return click.Option(
        [setting.flag, setting.name],
        type=click.Choice(setting.choices) if setting.choices else str,
        metavar=None if setting.choices else _metavar(setting),
        # A bare --docs-enabled means true, as people expect of a switch.
        is_flag=False,
        flag_value="true" if setting.type is bool else None,
        help=f"{setting.help}  [{setting.variable}; default: {shown or 'none'}]",
    )


def _metavar(setting: Setting) -> str:
    if setting.is_duration:
        return "DURATION"
    return {bool: "BOOL", int: "N"}.get(setting.type, "TEXT")


def _ignored(name: str) -> click.Option:
    flag = "--" + name.replace("_", "-")
    return click.Option([flag, name], is_flag=False, flag_value="true", hidden=True)


def _run(config: Path | None, **flags: Any) -> None:
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        loaded, warnings = load(given, os.environ, config)
    except CorvoError as error:
        click.echo(f"Error: {error.message}", err=True)
        sys.exit(2)
    for name in sorted(SECRET & given.keys()):
        setting = next(each for each in settings() if each.name == name)
        warn_of_exposure(setting.flag, f"{setting.variable}, or {name} in the file of --config")
    for warning in warnings:
        click.echo(f"Warning: {warning}", err=True)
    # Loaded late: `corvo serve --help` must not wait for the whole server.
    running = importlib.import_module("corvo.cli.node.running")
    sys.exit(running.run(loaded))


command = click.Command(
    "serve",
    callback=_run,
    params=[
        click.Option(
            ["--config", "config"],
            type=click.Path(dir_okay=False, path_type=Path),
            help="Read settings from a TOML file; flags and CORVO_* variables win over it.",
        ),
        *map(_option, settings()),
        *map(_ignored, sorted(WITHOUT_MEANING)),
    ],
    help=(
        "Run a node.\n\nSettings come from flags, CORVO_* variables, a file and defaults, in this order. "
        "Durations are written like 30s, 5m or 1h30m."
    ),
)
