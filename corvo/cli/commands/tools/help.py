"""`corvo help`: what `--help` says, as a command."""

import click


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show how a command is used; without one, all commands.

    \b
    Examples:
      corvo help enqueue
      corvo help schedules create
    """
    parent = ctx.parent
    assert parent is not None
    for word in words:
        group = parent.command
        found = group.get_command(parent, word) if isinstance(group, click.Group) else None
        if found is None:
            raise click.UsageError(f"There is no command {' '.join(words)!r}.", ctx.parent)
        parent = click.Context(found, info_name=word, parent=parent)
    click.echo(parent.get_help())
