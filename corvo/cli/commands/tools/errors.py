"""`corvo errors`: what an error code means and what to do about it."""

import click

from corvo.cli.error_list import every_error
from corvo.cli.exit_codes import ExitCode
from corvo.cli.output.output import Output
from corvo.cli.output.table import Column
from corvo.cli.problems import Problem
from corvo.cli.request.session import prints

_COLUMNS = [
    Column("CODE", "code"),
    Column("STATUS", "status", "number"),
    Column("RETRY", "retryable"),
    Column("MEANING", "meaning"),
]


@click.command("errors")
@click.argument("code", required=False)
@prints
def command(out: Output, code: str | None) -> None:
    """Explain an error CODE, or list them all. No server is asked.

    \b
    Examples:
      corvo errors LEASE_CONFLICT
      corvo errors -o json
    """
    rows = every_error()
    if code is None:
        out.many(rows, _COLUMNS, id_member="code")
        return
    found = next((row for row in rows if row["code"] == code.upper().replace("-", "_")), None)
    if found is None:
        raise Problem(f"there is no error code {code}", ExitCode.NOT_FOUND, "`corvo errors` lists them all.")
    retry = "The same request may succeed later." if found["retryable"] else "Repeating it will not help."
    text = f"{found['code']} (HTTP {found['status']})\n  {found['meaning']}\n  {retry}"
    out.one(found, text, id_member="code")
