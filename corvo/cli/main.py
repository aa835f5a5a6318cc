"""The `corvo` command. Subcommands are imported when they are called, so that each starts fast."""

import importlib
import sys

import click

#: Command -> module that defines it, as `command`.
_COMMANDS = {
    "doctor": "corvo.cli.commands.doctor",
    "serve": "corvo.cli.commands.serve",
    "version": "corvo.cli.commands.version",
}
_ALIASES = {"server": "serve"}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(_ALIASES.get(cmd_name, cmd_name))
        if module is None:
            return None
        command: click.Command = importlib.import_module(module).command
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Corvo: a job server for any language. `corvo serve` runs one."""
    if not __debug__:
        # Assertions are how a node notices that it can no longer be trusted.
        click.echo("Error: Corvo does not run under python -O: its assertions must stay on", err=True)
        sys.exit(2)
