"""`corvo version`"""

import platform

import click

from corvo import __version__


@click.command("version")
def command() -> None:
    """Print the version."""
    click.echo(f"corvo {__version__} (Python {platform.python_version()})")
