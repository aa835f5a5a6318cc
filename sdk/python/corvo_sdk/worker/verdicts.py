"""What a handler may say of its job besides returning a result or raising some error."""

from typing import Any

from corvo_sdk.durations import Duration, as_text


class Verdict(Exception):
    """Raised by a handler: decides what becomes of the job."""


def _checked(after: Duration | None) -> Duration | None:
    """A duration that is none is the handler's error, and noticed here it fails the attempt as any other."""
    if after is not None:
        as_text(after)
    return after


class Retry(Verdict):
    """This attempt failed; try again after this time instead of the job's own backoff."""

    def __init__(self, reason: str = "asked for a retry", *, after: Duration | None = None) -> None:
        super().__init__(reason)
        self.after = _checked(after)


class Dead(Verdict):
    """Trying again would not help: give the job up now."""


class Release(Verdict):
    """Hand the job back unfinished. The attempt does not count; `checkpoint` is kept for whoever gets it."""

    def __init__(self, *, after: Duration | None = None, checkpoint: Any = None) -> None:
        super().__init__("released")
        self.after = _checked(after)
        self.checkpoint = checkpoint


class Hold(Verdict):
    """Keep the job until somebody approves or rejects it."""


class ExitChain(Verdict):
    """The job is done, with this result, and what is left of its chain is not needed."""

    def __init__(self, result: Any = None, *, reason: str | None = None) -> None:
        super().__init__(reason or "left the chain")
        self.result = result
        self.reason = reason


class JobCancelled(BaseException):
    """The lease is gone: the job was cancelled, or another worker has it. Nothing done from here on counts.

    Not an Exception, so that a handler's `except Exception` does not swallow it.
    """
