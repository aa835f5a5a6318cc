"""How a command ends when it cannot do what was asked: one sentence on stderr and an exit code."""

from typing import Any

import click

from corvo.cli.exit_codes import ExitCode, of_status
from corvo.cli.output.table import clean_lines


class Problem(Exception):
    """Printed as `Error: ...`; never with a traceback."""

    def __init__(self, message: str, exit_code: ExitCode, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.hint = hint

    def show(self) -> None:
        click.echo(clean_lines(f"Error: {self.message}"), err=True)
        if self.hint:
            click.echo(clean_lines(f"  {self.hint}"), err=True)


class Misused(Problem):
    """The command line makes no sense."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, ExitCode.USAGE, hint)


class Unreachable(Problem):
    """No answer came."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, ExitCode.UNAVAILABLE, hint)


class ApiError(Problem):
    """The server answered with an error."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        self.status = status
        self.code = str(body.get("code", ""))
        self.body = body
        message = str(body.get("error") or f"the server answered {status}")
        hint = f"{body['hint']} (corvo errors {self.code})" if body.get("hint") else ""
        super().__init__(message, of_status(status), hint)
