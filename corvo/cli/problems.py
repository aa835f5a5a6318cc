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


#: What a user of the command can do, where the server can only speak of requests.
_TO_DO = {
    401: "Give a key by --api-key-file, CORVO_API_KEY_FILE or a profile. `corvo keys create` makes one, and "
    "`corvo init` the first, or one for who has lost theirs.",
    403: "`corvo whoami` says what your key may do; an admin can give it more by `corvo keys update` or "
    "`corvo keys grant`.",
}


class ApiError(Problem):
    """The server answered with an error."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        self.status = status
        self.code = str(body.get("code", ""))
        self.body = body
        message = str(body.get("error") or f"the server answered {status}")
        hint = _TO_DO.get(status) or body.get("hint") or ""
        if hint and self.code:
            hint = f"{hint} (corvo errors {self.code})"
        super().__init__(message, of_status(status), hint)
