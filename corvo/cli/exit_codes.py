"""What the exit code of a command says. Scripts rely on these numbers: they are never reused."""

import enum


class ExitCode(enum.IntEnum):
    OK = 0
    REFUSED = 1
    USAGE = 2
    CANCELLED = 3
    AUTH = 4
    NOT_FOUND = 5
    CONFLICT = 6
    UNAVAILABLE = 7
    PARTIAL = 8
    INTERRUPTED = 130
    PIPE_CLOSED = 141


#: For docs/reference/cli.md and `corvo --help`.
MEANINGS = {
    ExitCode.OK: "Done. With --wait: the job completed.",
    ExitCode.REFUSED: "The server refused it, or doctor found something wrong. With --wait: the job is dead.",
    ExitCode.USAGE: "The command line cannot be understood, or a confirmation is missing.",
    ExitCode.CANCELLED: "You said no. With --wait: the job was cancelled.",
    ExitCode.AUTH: "The credential is missing, wrong, or does not allow it.",
    ExitCode.NOT_FOUND: "No such job, queue or other thing. With --wait: the job was deleted.",
    ExitCode.CONFLICT: "It exists already, or something else has changed meanwhile.",
    ExitCode.UNAVAILABLE: "No answer, not Corvo, overloaded, no leader: try again. With --wait: time was up.",
    ExitCode.PARTIAL: "Some of it was done and some was not; the errors say which.",
    ExitCode.INTERRUPTED: "Stopped by Ctrl-C.",
    ExitCode.PIPE_CLOSED: "The output is read no further, as in `corvo search --all | head`.",
}
assert MEANINGS.keys() == set(ExitCode), "every exit code needs a meaning"

_BY_STATUS = {
    401: ExitCode.AUTH,
    403: ExitCode.AUTH,
    404: ExitCode.NOT_FOUND,
    408: ExitCode.UNAVAILABLE,
    409: ExitCode.CONFLICT,
    429: ExitCode.UNAVAILABLE,
    502: ExitCode.UNAVAILABLE,
    503: ExitCode.UNAVAILABLE,
    504: ExitCode.UNAVAILABLE,
}

_BY_STATE = {
    "completed": ExitCode.OK,
    "dead": ExitCode.REFUSED,
    "cancelled": ExitCode.CANCELLED,
    "deleted": ExitCode.NOT_FOUND,
}


def of_status(status: int) -> ExitCode:
    """Of a request that was answered with an error."""
    return _BY_STATUS.get(status, ExitCode.REFUSED)


def of_state(state: str) -> ExitCode:
    """Of a job that was waited for."""
    return _BY_STATE.get(state, ExitCode.UNAVAILABLE)
