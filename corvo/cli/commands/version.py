"""`corvo version`"""

import platform

import click

from corvo import __version__
from corvo.cli.output import Output
from corvo.cli.session import prints


@click.command("version")
@prints
def command(out: Output) -> None:
    """Print the version."""
    python = platform.python_version()
    document = {"version": __version__, "python": python}
    out.one(document, f"corvo {__version__} (Python {python})", id_member="version")
