"""`corvo profile`: servers with names."""

from pathlib import Path

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.output.output import Output
from corvo.cli.output.table import Column
from corvo.cli.problems import Problem
from corvo.cli.request import profile as profiles
from corvo.cli.request.address import parse_address
from corvo.cli.request.session import prints

_COLUMNS = [
    Column("NAME", "name"),
    Column("SERVER", "server"),
    Column("NAMESPACE", "namespace"),
    Column("API KEY FILE", "api_key_file"),
    Column("CA FILE", "ca_file"),
    Column("CLIENT CERT", "client_cert"),
    Column("CURRENT", "current"),
]


@click.group("profile")
def command() -> None:
    """Give servers names: `corvo profile add prod --server https://... && corvo profile use prod`.

    Flags win over CORVO_* variables, these over the profile, this over the defaults. API keys stay in files
    of their own.
    """


@command.command("add")
@click.argument("name")
@click.option("--server", required=True, metavar="URL", help="Where the server is.")
@click.option("--api-key-file", metavar="FILE", help="File with the API key.")
@click.option("--namespace", metavar="NAME", help="Act in this namespace.")
@click.option("--ca-file", metavar="FILE", help="Trust servers whose certificate this one signed.")
@click.option("--client-cert", metavar="FILE", help="Certificate to show to the server.")
@click.option("--client-key", metavar="FILE", help="Its private key.")
@prints
def add(out: Output, name: str, server: str, namespace: str | None, **files: str | None) -> None:
    """Add a profile, or replace one. The first one becomes the current one."""
    parse_address(server)
    # The profile is used from other folders, too.
    absolute = {
        option: str(Path(file).expanduser().absolute()) for option, file in files.items() if file is not None
    }
    known = profiles.load()
    rows = known.by_name | {name: profiles.Profile(server, namespace=namespace, **absolute)}
    profiles.save(profiles.Profiles(rows, known.current or name))
    out.one({"name": name, "server": server}, f"{name} saved", id_member="name")


@command.command("use")
@click.argument("name")
@prints
def use(out: Output, name: str) -> None:
    """Make a profile the current one."""
    known = profiles.load()
    _must_have(known, name)
    profiles.save(profiles.Profiles(known.by_name, name))
    out.one({"name": name}, f"{name} is used from now on", id_member="name")


@command.command("remove")
@click.argument("name")
@prints
def remove(out: Output, name: str) -> None:
    """Forget a profile."""
    known = profiles.load()
    _must_have(known, name)
    rows = {other: profile for other, profile in known.by_name.items() if other != name}
    profiles.save(profiles.Profiles(rows, None if known.current == name else known.current))
    out.one({"name": name}, f"{name} removed", id_member="name")


@command.command("list")
@prints
def list_profiles(out: Output) -> None:
    """List profiles."""
    known = profiles.load()
    rows = [
        {"name": name, **profile._asdict(), "current": name == known.current}
        for name, profile in sorted(known.by_name.items())
    ]
    out.many(rows, _COLUMNS, id_member="name")


def _must_have(known: profiles.Profiles, name: str) -> None:
    if name not in known.by_name:
        raise Problem(f"there is no profile {name!r}", ExitCode.NOT_FOUND)
