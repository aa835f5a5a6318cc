"""docs/reference/cli.md, printed from the commands themselves."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import click

from corvo.cli.commands.server.serve import command as serve
from corvo.cli.exit_codes import MEANINGS
from corvo.cli.lazy import LazyGroup
from corvo.cli.main import main
from corvo.cli.reference.markdown import MADE, escape, marked, table, wrapped
from corvo.cli.request.session import CONNECTION, OUTPUT
from corvo.config import settings

_ABOUT = """\
# The `corvo` command

{made}

`corvo serve` runs a node. The other commands talk to a node over HTTP. Data goes to stdout, everything that
is said about it to stderr.

- Commands that take ids also take them on stdin: one per line, as JSON, as NDJSON, or as `corvo search`
  prints them. If there are none, because a search found nothing, there is nothing to do: the exit code is
  0, and stderr says so.
- A command that destroys something asks first, or needs `--yes`.
- An error is one sentence, a hint and an [exit code](#exit-codes). [Error codes](errors.md) of the server
  are printed with it.

```sh
corvo dev                                                    # a throw-away node with demo data
corvo enqueue emails '{{"to":"ann@example.com"}}' --wait       # the exit code says how the job ended
corvo search 'queue:emails state:dead age>1h' -o id | corvo retry
corvo bulk delete --query 'state:completed age>7d' --dry-run
corvo top
```

## Exit codes

{exit_codes}

`corvo check` answers with the exit codes of a Nagios plugin instead: 0 ok, 1 warning, 2 critical, 3
unknown.

## Where the server is, and how to print

Every command that talks to a server takes these options. An option wins over the variable in brackets, the
variable over the profile (`corvo profile`), and the profile over the default.

{common}

Colours are used on a terminal only, and never if `NO_COLOR` is set. `CORVO_OUTPUT` sets the form of `-o`
for all commands. Keep an API key in a file or in `CORVO_API_KEY`: other users of the machine can see the
options of a command.
"""


def cli_page() -> str:
    codes = table(
        ("code:", "name", "meaning"),
        [(f"{code:d}", code.name, marked(escape(text))) for code, text in MEANINGS.items()],
    )
    common = _options(_options_of(OUTPUT + CONNECTION))
    parts = [_ABOUT.format(made=MADE, exit_codes=codes, common=common)]
    # A width of its own: the page must not depend on the terminal it is printed in.
    root = click.Context(main, info_name="corvo", terminal_width=100)
    assert isinstance(main, LazyGroup)
    for heading, rows in main.sections.items():
        parts.append(f"## {heading}\n")
        for name in rows:
            command = main.get_command(root, name)
            assert command is not None
            parts += _command(command, name, root)
    return "\n".join(parts)


def _command(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    depth = "###" if parent.parent is None else "####"
    yield f"{depth} {context.command_path}\n"
    yield f"```\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    yield from _help(command)
    described = {option.name for option in _options_of(OUTPUT + CONNECTION)}
    if command is serve:
        described |= {setting.name for setting in settings()}
        yield "Every [setting](settings.md) is an option, too.\n"
    own = [
        option
        for option in command.params
        if isinstance(option, click.Option) and option.name not in described and not option.hidden
    ]
    if own:
        yield _options(own) + "\n"
    if isinstance(command, LazyGroup):
        # These are commands that have a section of their own under another name.
        names = ", ".join(f"`{name}`" for name in command.list_commands(context))
        yield "\n".join(wrapped(f"Its commands: {names}.".split())) + "\n"
    elif isinstance(command, click.Group):
        for sub_name in command.list_commands(context):
            sub = command.get_command(context, sub_name)
            assert sub is not None
            yield from _command(sub, sub_name, context)


def _help(command: click.Command) -> Iterator[str]:
    """Paragraphs. Those that click must not wrap become code."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if not paragraph.startswith("\b"):
            yield "\n".join(wrapped(paragraph.split())) + "\n"
            continue
        first, *rest = paragraph.removeprefix("\b\n").splitlines()
        indented = [line.strip() for line in rest if line.startswith("  ")]
        if len(indented) == len(rest):
            yield f"{first}\n\n```sh\n" + "\n".join(indented) + "\n```\n"
        else:
            yield "\n".join(wrapped(paragraph.removeprefix("\b\n").split())) + "\n"


def _options_of(decorators: list[Callable[..., Any]]) -> list[click.Option]:
    def nothing() -> None:
        """Only there to be decorated."""

    for decorate in reversed(decorators):
        decorate(nothing)
    options: list[click.Option] = nothing.__click_params__[::-1]  # type: ignore[attr-defined] # set by click
    return [option for option in options if not option.hidden]


def _options(options: list[click.Option]) -> str:
    return table(("option", "what it does"), [_option(option) for option in options])


def _option(option: click.Option) -> tuple[str, str]:
    names = ", ".join(f"`{name}`" for name in option.opts)
    value = "" if option.is_flag else f" `{option.make_metavar(click.Context(main))}`"
    return names + value.replace("|", "\\|"), marked(escape(option.help or "")) + _default(option)


def _default(option: click.Option) -> str:
    if (
        option.is_flag
        or not isinstance(option.default, str | int | float)
        or isinstance(option.default, bool)
    ):
        return ""
    return "" if option.default in ("", -1) else f" Default `{option.default}`."
