"""docs/cli.md and docs/errors.md, printed from the commands and errors themselves: `make docs`."""

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from corvo.cli.error_list import every_error
from corvo.cli.exit_codes import MEANINGS
from corvo.cli.lazy import LazyGroup
from corvo.cli.main import main
from corvo.cli.request.session import CONNECTION, OUTPUT

_MADE = "<!-- Printed by `make docs`. Change the code, not this page. -->"

_ABOUT = """\
# The `corvo` command

{made}

`corvo serve` runs a node; the other commands talk HTTP to one. stdout carries data, stderr talk. Wherever
ids are taken they may also come on stdin: one per line, as JSON, as NDJSON, or as what `corvo search`
prints. No ids on stdin, because a search found nothing, are nothing to do: exit code 0, and a line on
stderr that says so. What destroys asks first, or wants `--yes`. Errors are one sentence, a hint and an
exit code.

```sh
corvo dev                                                    # a throw-away node with demo data
corvo enqueue emails '{{"to":"ann@example.com"}}' --wait       # the exit code says how the job ended
corvo search 'queue:emails state:dead age>1h' -o id | corvo retry
corvo bulk delete --query 'state:completed age>7d' --dry-run
corvo top
```

## Exit codes

| code | name | meaning |
| ---: | --- | --- |
{exit_codes}

`corvo check` answers with those of a Nagios plugin instead: 0 ok, 1 warning, 2 critical, 3 unknown.

## Where the server is, and how to print

Every command that talks to a server takes these. A flag wins over the variable in brackets, this over the
profile (`corvo profile`), this over the default.

{common}

Colours only on a terminal, never with `NO_COLOR`. `CORVO_OUTPUT` sets the form of `-o` for all commands. API
keys belong in a file or in `CORVO_API_KEY`: flags can be seen by others on the machine.
"""

_ERRORS = """\
# Error codes

{made}

An error is a JSON body with `error` (a sentence), `code` (from this list), `hint` and `request_id`; some
carry more, such as `job_state` or `retry_after_ms`. Match on `code` and status, never on the sentence.
*Retry*: the same request may succeed later. `corvo errors CODE` prints a row in the terminal.

| code | status | retry | meaning, and what to do |
| --- | ---: | --- | --- |
{rows}
"""


def cli_page() -> str:
    codes = "\n".join(f"| {code:d} | {code.name} | {text} |" for code, text in MEANINGS.items())
    common = "\n".join(_option_lines(_options_of(OUTPUT + CONNECTION)))
    parts = [_ABOUT.format(made=_MADE, exit_codes=codes, common=common)]
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


def errors_page() -> str:
    rows = "\n".join(
        f"| `{row['code']}` | {row['status']} | {'yes' if row['retryable'] else ''} | {row['meaning']} |"
        for row in every_error()
    )
    return _ERRORS.format(made=_MADE, rows=rows)


def _command(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    depth = "###" if parent.parent is None else "####"
    yield f"{depth} {context.command_path}\n"
    yield f"```\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    yield from _help(command)
    common = {option.name for option in _options_of(OUTPUT + CONNECTION)}
    own = [
        option
        for option in command.params
        if isinstance(option, click.Option) and option.name not in common and not option.hidden
    ]
    if own:
        yield "\n".join(_option_lines(own)) + "\n"
    if isinstance(command, LazyGroup):
        # The same commands under other names.
        yield "Its commands: " + ", ".join(f"`{name}`" for name in command.list_commands(context)) + ".\n"
    elif isinstance(command, click.Group):
        for sub_name in command.list_commands(context):
            sub = command.get_command(context, sub_name)
            assert sub is not None
            yield from _command(sub, sub_name, context)


def _help(command: click.Command) -> Iterator[str]:
    """Paragraphs; those that click must not wrap become code."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if not paragraph.startswith("\b"):
            yield paragraph + "\n"
            continue
        first, *rest = paragraph.removeprefix("\b\n").splitlines()
        indented = [line.strip() for line in rest if line.startswith("  ")]
        if len(indented) == len(rest):
            yield f"{first}\n\n```sh\n" + "\n".join(indented) + "\n```\n"
        else:
            yield f"{first} {' '.join(line.strip() for line in rest)}\n"


def _options_of(decorators: list[Callable[..., Any]]) -> list[click.Option]:
    def nothing() -> None:
        """Only there to be decorated."""

    for decorate in reversed(decorators):
        decorate(nothing)
    options: list[click.Option] = nothing.__click_params__[::-1]  # type: ignore[attr-defined] # set by click
    return [option for option in options if not option.hidden]


def _option_lines(options: list[click.Option]) -> Iterator[str]:
    yield "| option | |"
    yield "| --- | --- |"
    for option in options:
        names = ", ".join(f"`{name}`" for name in option.opts)
        value = "" if option.is_flag else f" `{option.make_metavar(click.Context(main))}`"
        default = _default(option)
        yield f"| {names}{value.replace('|', chr(92) + '|')} | {_escape(option.help or '')}{default} |"


def _default(option: click.Option) -> str:
    if (
        option.is_flag
        or not isinstance(option.default, str | int | float)
        or isinstance(option.default, bool)
    ):
        return ""
    return "" if option.default in ("", -1) else f" Default `{option.default}`."


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


PAGES = {"cli.md": cli_page, "errors.md": errors_page}


def write(folder: Path) -> None:
    for name, page in PAGES.items():
        (folder / name).write_text(page())


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
