"""A group whose commands are imported when they are called, and listed without being imported."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

Sections = Mapping[str, Mapping[str, tuple[str, str]]]


class LazyGroup(click.Group):
    def __init__(
        self, *args: Any, sections: Sections, aliases: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sections = sections
        self._aliases = aliases or {}
        self._rows = {name: row for rows in sections.values() for name, row in rows.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = self._rows.get(self._aliases.get(cmd_name, cmd_name))
        if row is None:
            return None
        module, _, name = row[0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # noqa: PLC0415 - needed for mistyped names only

            near = difflib.get_close_matches(args[0], [*self._rows, *self._aliases], n=1)
            if not near or args[0].startswith("-"):
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]}?", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, rows in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, text) for name, (_, text) in rows.items()])
