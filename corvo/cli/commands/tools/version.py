"""`corvo version`"""

import platform
from pathlib import Path

import click

import corvo
from corvo.cli.node.checkout import commit_of
from corvo.cli.output.output import Output
from corvo.cli.request.session import prints


@click.command("version")
@prints
def command(out: Output) -> None:
    """Print the version; in a git checkout the commit, too. No server is asked."""
    facts = {"version": corvo.__version__, "python": platform.python_version()}
    words = f"Python {facts['python']}"
    commit = commit_of(Path(corvo.__file__).parents[1])
    if commit is not None:
        facts["commit"] = commit
        words += f", commit {commit[:12]}"
    out.one(facts, f"corvo {corvo.__version__} ({words})", id_member="version")
