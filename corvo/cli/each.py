"""Each: one action for each of several things. What fails is reported, and the others are done anyway."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import ApiError


class Each:
    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)
        self.succeeded = 0
        self.failures: list[ApiError] = []

    def attempt(self, do: Callable[[str], Any]) -> Iterator[Any]:
        """The answers of those that went well. A server that is unavailable ends it at once."""
        for name in self._names:
            try:
                answer = do(name)
            except ApiError as error:
                if error.exit_code is ExitCode.UNAVAILABLE:
                    raise
                self.failures.append(error)
                error.message = error.message if name in error.message else f"{name}: {error.message}"
                if len(self._names) > 1:
                    error.show()
                continue
            self.succeeded += 1
            yield answer


@contextmanager
def each(names: Iterable[str]) -> Iterator[Each]:
    """Exit code 8 if some went well and some did not; if none did, that of the first failure."""
    doing = Each(names)
    yield doing
    if not doing.failures:
        return
    first = doing.failures[0]
    if doing.succeeded:
        sys.exit(ExitCode.PARTIAL)
    if len(doing.failures) == 1:
        raise first
    sys.exit(first.exit_code)
