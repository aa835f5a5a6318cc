"""`corvo completion`: the script that makes a shell complete commands, flags and queue names."""

import click
from click.shell_completion import get_completion_class

_INSTALL = {
    "bash": 'eval "$(corvo completion bash)"',
    "zsh": 'eval "$(corvo completion zsh)"',
    "fish": "corvo completion fish | source",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(_INSTALL)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL; queue names are asked of the server as you type.

    \b
    Put one of these into the start file of your shell:
      eval "$(corvo completion bash)"
      eval "$(corvo completion zsh)"
      corvo completion fish | source
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = ctx.find_root()
    # Not source(): it asks the installed bash for its version first, which only slows down every shell.
    completer = kind(root.command, {}, "corvo", "_CORVO_COMPLETE")
    click.echo(completer.source_template % completer.source_vars())
