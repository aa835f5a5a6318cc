"""`corvo doctor`: is everything in a node's folder as it must be?"""

import sys
from itertools import chain
from pathlib import Path

import click

#: Problems shown; a store that is wrong in one way is often wrong in a million places.
_SHOWN_MAX = 50


@click.command("doctor")
@click.argument("data_dir", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--compare",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="Folder of another stopped node of the cluster, which must hold the same byte for byte.",
)
def command(data_dir: Path, compare: tuple[Path, ...]) -> None:
    """Check DATA_DIR against everything that must hold, on a stopped or a running node.

    Prints a sentence for each thing that is wrong. Exit code 0: sound. 1: something is wrong, or it could
    not be checked.
    """
    # Loaded late: `corvo --help` must not wait for the storage engine.
    from corvo.cli import comparison, examination  # noqa: PLC0415 - see above

    found = 0
    comparisons = (comparison.compare(data_dir, other) for other in compare)
    for line in chain(examination.examine(data_dir), *comparisons):
        click.echo(line.text)
        found += line.is_problem
        if found >= _SHOWN_MAX:
            click.echo(f"... and maybe more; these are the first {_SHOWN_MAX}")
            break
    click.echo("sound" if not found else f"{found} problems")
    sys.exit(bool(found))
