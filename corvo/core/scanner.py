"""Scanner: reads a line of text from left to right. The base of the parsers of our small languages."""

import re
from abc import ABC, abstractmethod
from typing import Final, NoReturn

#: Tokens that all these languages have.
STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
INDEX: Final = re.compile(r"[0-9]{1,9}")
SPACES: Final = " \t\r\n"
_SPACE: Final = re.compile(f"[{SPACES}]*")


class Scanner(ABC):
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    @abstractmethod
    def refusal(self, problem: str, position: int) -> Exception:
        """What is raised when the text cannot be read; the position is counted from 1."""

    def _peek(self) -> str:
        """The next character; nothing at the end."""
        return self._text[self._at : self._at + 1]

    def _space(self) -> None:
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _skip_to_more(self) -> bool:
        self._space()
        return self._at < len(self._text)

    def _take(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _expect(self, text: str) -> None:
        if not self._take(text):
            self._fail(f"expected `{text}`")

    def _match(self, pattern: re.Pattern[str], what: str) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            self._fail(f"expected {what}")
        self._at = match.end()
        return match[0]

    def _fail(self, problem: str, at: int | None = None) -> NoReturn:
        raise self.refusal(problem, (self._at if at is None else at) + 1)
