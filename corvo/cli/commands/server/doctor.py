"""`corvo doctor`: is everything in a node's folder as it must be?"""

import sys
from itertools import chain
from pathlib import Path

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.output.output import Output
from corvo.cli.request.profile import Flags, target
from corvo.cli.request.session import prints

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
@click.option(
    "--api-key-file", metavar="FILE", help="File with an API key, for a running node.  [CORVO_API_KEY_FILE]"
)
@prints
def command(out: Output, data_dir: Path, compare: tuple[Path, ...], api_key_file: str | None) -> None:
    """Check DATA_DIR against everything that must hold, on a stopped or a running node.

    Prints a sentence for each thing that is wrong. Exit code 0: sound. 1: something is wrong, or it could
    not be checked.
    """
    from corvo.cli.node import comparison, doctor_checks  # noqa: PLC0415 - `doctor --help` needs no storage engine

    api_key = target(Flags(api_key_file=api_key_file)).api_key
    facts: list[str] = []
    problems: list[str] = []
    comparisons = (comparison.compare(data_dir, other) for other in compare)
    for line in chain(doctor_checks.examine(data_dir, api_key), *comparisons):
        (problems if line.is_problem else facts).append(line.text)
        if out.form == "table":
            out.line(line.text)
        if len(problems) >= _SHOWN_MAX:
            facts.append(f"... and maybe more; these are the first {_SHOWN_MAX}")
            break
    verdict = "sound" if not problems else f"{len(problems)} problems"
    out.one({"id": verdict, "sound": not problems, "facts": facts, "problems": problems}, verdict)
    sys.exit(ExitCode.REFUSED if problems else ExitCode.OK)
