"""What a stream needs of HTTP: one request whose body does not end, and the answer to it as it comes."""

from collections.abc import AsyncIterator
from typing import Protocol


class NotSpoken(Exception):
    """The other side does not speak this version of HTTP."""


class Carrier(Protocol):
    """Raises OSError, or ValueError for what makes no sense, when the connection is good for nothing more."""

    def begin(self, path: str, headers: dict[str, str]) -> None:
        """Ask for this path, with a body to follow."""

    def write(self, data: bytes) -> None:
        """The next piece of the body. Never waits."""

    async def status(self) -> int:
        """Of the answer, when it begins."""

    async def whole(self, most: int) -> bytes:
        """The body of an answer that has an end, or its beginning."""

    def pieces(self) -> AsyncIterator[bytes]:
        """The body of an answer that has none, until it has."""

    def close(self) -> None: ...

    async def aclose(self) -> None:
        """The same, and wait until it is: TLS has a last word of its own."""
