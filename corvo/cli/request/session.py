"""What every command that talks to a server has in common: its options, its connection, its output."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from corvo.cli.output.output import FORMS, TIME_FORMS, Output
from corvo.cli.output.table import clean_lines
from corvo.cli.problems import Misused
from corvo.cli.request.client import Api
from corvo.cli.request.profile import Flags, target
from corvo.cli.request.secret_files import warn_of_exposure
from corvo.core.clock import Clock, SystemClock
from corvo.core.errors import ValidationFailed
from corvo.core.times import parse_duration_ms

R = TypeVar("R")

#: The server takes JSON of nearly a thousand levels, as many as Python usually allows. An answer has more,
#: and printing takes several steps for each.
_LEVELS_MAX = 5_000


class Session:
    """One run of a command."""

    def __init__(self, api: Api, out: Output, clock: Clock, *, quiet: bool) -> None:
        self.api = api
        self.out = out
        self.clock = clock
        self.quiet = quiet

    def talk(self, text: str) -> None:
        """Print to the user on stderr, not into the pipe."""
        if not self.quiet:
            click.echo(clean_lines(text), err=True)


class Duration(click.ParamType[float]):
    """Seconds, from 30s, 5m or 1h30m."""

    name = "duration"

    def __init__(self, *, may_be_none: bool = True) -> None:
        self._may_be_none = may_be_none

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        try:
            seconds = parse_duration_ms(value, "duration") / 1_000
        except ValidationFailed as refusal:
            self.fail(refusal.message.removeprefix("duration: "), param, ctx)
        if not seconds and not self._may_be_none:
            self.fail(f"{value!r} is no time at all", param, ctx)
        return seconds


OUTPUT: list[Callable[..., Any]] = [
    click.option("-o", "--output", "form", type=click.Choice(FORMS), help="How to print.  [default: table]"),
    click.option("--output-json", is_flag=True, hidden=True),
    click.option(
        "--time",
        "times",
        type=click.Choice(TIME_FORMS),
        default="relative",
        help="How to print times in tables.",
    ),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="Whether to print colours.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print only errors on stderr."),
]
CONNECTION: list[Callable[..., Any]] = [
    click.option(
        "--server", metavar="URL", help="Where the server is.  [CORVO_URL; default: localhost:8080]"
    ),
    click.option("--profile", metavar="NAME", help="Use this profile.  [CORVO_PROFILE]"),
    click.option("--api-key-file", metavar="FILE", help="File with the API key.  [CORVO_API_KEY_FILE]"),
    click.option("--api-key", metavar="KEY", help="The API key; other users can see it.  [CORVO_API_KEY]"),
    click.option("--namespace", metavar="NAME", help="Act in this namespace.  [CORVO_NAMESPACE]"),
    click.option(
        "--ca-file", metavar="FILE", help="Trust servers whose certificate this one signed.  [CORVO_CA_FILE]"
    ),
    click.option(
        "--client-cert", metavar="FILE", help="Certificate to show to the server.  [CORVO_CLIENT_CERT]"
    ),
    click.option("--client-key", metavar="FILE", help="Its private key.  [CORVO_CLIENT_KEY]"),
    click.option(
        "--timeout", type=Duration(may_be_none=False), default="30s", help="How long to wait for an answer."
    ),
]


def talks_to_server(function: Callable[..., R]) -> Callable[..., R]:
    """`@talks_to_server def command(session, ...)`: adds the options and hands over the session."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> R:
        flags = Flags(
            profile=_take(kwargs, "profile"),
            server=_take(kwargs, "server"),
            api_key=_take(kwargs, "api_key"),
            api_key_file=_take(kwargs, "api_key_file"),
            namespace=_take(kwargs, "namespace"),
            timeout_s=_take(kwargs, "timeout"),
            ca_file=_take(kwargs, "ca_file"),
            client_cert=_take(kwargs, "client_cert"),
            client_key=_take(kwargs, "client_key"),
        )
        out, quiet = _output(kwargs)
        if flags.api_key and not quiet:
            warn_of_exposure("--api-key", "--api-key-file, or set CORVO_API_KEY_FILE or CORVO_API_KEY")
        sys.setrecursionlimit(_LEVELS_MAX)
        api = Api(target(flags))
        try:
            return function(Session(api, out, SystemClock(), quiet=quiet), *args, **kwargs)
        except UnicodeEncodeError as error:
            # The shell hands over bytes that are no text as halves of characters, which cannot be sent.
            near = error.object[max(0, error.start - 20) : error.end + 20]
            raise Misused(f"{near!r} is not UTF-8") from None
        finally:
            api.close()

    return _with(run, OUTPUT + CONNECTION)


def prints(function: Callable[..., R]) -> Callable[..., R]:
    """`@prints def command(out, ...)`: adds the options of output, for commands that talk to no server."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> R:
        out, _ = _output(kwargs)
        return function(out, *args, **kwargs)

    return _with(run, OUTPUT)


def _take(kwargs: Any, name: str) -> Any:
    return kwargs.pop(name)


def _output(kwargs: Any) -> tuple[Output, bool]:
    form: Any = _take(kwargs, "form") or os.environ.get("CORVO_OUTPUT") or None
    if form not in (None, *FORMS):
        raise Misused(f"CORVO_OUTPUT is {form!r}; it can be {', '.join(FORMS)}")
    if _take(kwargs, "output_json"):
        form = "json"
    colour = {"auto": None, "always": True, "never": False}[_take(kwargs, "color")]
    if colour is None and os.environ.get("NO_COLOR"):
        colour = False
    return Output(form, _take(kwargs, "times"), colour, SystemClock()), _take(kwargs, "quiet")


def _with(function: Callable[..., R], options: list[Callable[..., Any]]) -> Callable[..., R]:
    for option in reversed(options):
        function = option(function)
    return function


def is_alone(ctx: click.Context) -> bool:
    """Whether a group was called without a subcommand. With one, options must come after it: those before
    would be the group's, and the subcommand would talk to another server than the one that was named."""
    if ctx.invoked_subcommand is None:
        return True
    given = [
        name
        for name in ctx.params
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise Misused(f"put the options after {ctx.invoked_subcommand!r}, not before it")
    return False
