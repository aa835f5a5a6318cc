"""HTTP/1.1 without I/O: the bytes of a request, and an answer read from bytes however they come.

Only what a client needs that sends one request at a time and wants the whole answer. Strict where a mistake
could make one answer look like two, because the connection is used again.
"""

import string
import zlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

#: Of a head, of the trailers, and of the line before a chunk.
_HEAD_BYTES_MAX = 64 * 1024
_LINE_BYTES_MAX = 4 * 1024
#: More digits than any length has.
_DIGITS_MAX = 15
_HEX = b"0123456789abcdefABCDEF"
_BODILESS = frozenset({"GET", "HEAD"})
#: What the name of a header is made of.
_NAME = frozenset(string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~")
#: Framing is ours to say.
_OURS = frozenset({"content-length", "transfer-encoding"})
_NEEDED = frozenset({b"content-length", b"transfer-encoding", b"connection", b"content-encoding"})


class BadAnswer(Exception):
    """What came is no answer, or not all of it."""


class Answer(NamedTuple):
    status: int
    body: bytes
    #: Whether the connection may carry another request.
    reusable: bool


# Asking


def headers(given: Mapping[str, str]) -> bytes:
    """Lines for `request`. Raises ValueError."""
    check_headers(given)
    lines = [f"{name}: {value}\r\n" for name, value in given.items() if name.lower() not in _OURS]
    return "".join(lines).encode()


def check_headers(given: Mapping[str, str]) -> None:
    """Raises ValueError. The end of a line in one would begin another one."""
    for name, value in given.items():
        if not (name and _NAME.issuperset(name) and value.isascii() and value.isprintable()):
            # Its value may be a secret.
            raise ValueError(f"the header {name!r} holds characters that cannot be sent")


def request(method: str, target: str, lines: bytes, body: bytes) -> bytes:
    """All in one piece, so that it leaves in one packet if it fits into one."""
    if " " in target or not (target.isascii() and target.isprintable()):
        raise ValueError(f"{target!r} cannot be asked for")
    if body or method not in _BODILESS:
        return b"%b %b HTTP/1.1\r\n%bcontent-length: %d\r\n\r\n%b" % (
            method.encode(),
            target.encode(),
            lines,
            len(body),
            body,
        )
    return b"%b %b HTTP/1.1\r\n%b\r\n" % (method.encode(), target.encode(), lines)


# Hearing


class AnswerReader:
    """Reads one answer. Give it what comes, and b"" when the other side hangs up."""

    __slots__ = ("_at", "_came", "_reading")

    def __init__(self, method: str) -> None:
        #: What came last; up to `_at` it has been read.
        self._came = b""
        self._at = 0
        self._reading = self._answer(method)
        next(self._reading)

    def feed(self, data: bytes) -> Answer | None:
        """The answer when it is complete. Raises BadAnswer."""
        try:
            self._reading.send(data)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
        return None

    def _answer(self, method: str) -> Generator[None, bytes, Answer]:
        yield from self._beginning()
        head = _head((yield from self._head_text()))
        while head.status < 200:
            if head.status == 101:
                raise BadAnswer("the server wants to speak another protocol")
            head = _head((yield from self._head_text()))
        keeps = head.keeps
        if method == "HEAD" or head.status in (204, 304):
            body = b""
        elif head.chunked:
            body = yield from self._chunks()
            # A length beside it is a mistake of whoever stands between: who knows what follows.
            keeps = keeps and head.length is None
        elif head.length is not None:
            body = yield from self._exactly(head.length)
        else:
            body = yield from self._rest()
            keeps = False
        # What nobody has asked for would be taken for the answer to the next request.
        reusable = keeps and self._at == len(self._came)
        return Answer(head.status, _decoded(body, head.encoding), reusable)

    def _beginning(self) -> Generator[None, bytes, None]:
        self._came = yield
        if not self._came:
            raise BadAnswer("the server hung up without an answer")
        # Told at once: who speaks something else may wait for us for ever.
        if not self._came.startswith(b"HTTP/1."[: len(self._came)]):
            raise BadAnswer("what answered does not speak HTTP/1.1")

    def _head_text(self) -> Generator[None, bytes, bytes]:
        return (yield from self._until(b"\r\n\r\n", _HEAD_BYTES_MAX))

    def _chunks(self) -> Generator[None, bytes, bytes]:
        parts = []
        while size := _chunk_size((yield from self._until(b"\r\n", _LINE_BYTES_MAX))):
            parts.append((yield from self._exactly(size)))
            if (yield from self._exactly(2)) != b"\r\n":
                raise BadAnswer("a chunk does not end where it should")
        left = _HEAD_BYTES_MAX
        while trailer := (yield from self._until(b"\r\n", left)):
            left -= len(trailer)
        return b"".join(parts)

    # Bytes

    def _until(self, end: bytes, most: int) -> Generator[None, bytes, bytes]:
        """What comes before this end, which is read, too."""
        while (found := self._came.find(end, self._at)) < 0:
            if len(self._came) - self._at > most:
                break
            if self._came.find(b"\n\n", self._at) >= 0:
                raise BadAnswer("the lines of an answer do not end as those of HTTP/1.1 do")
            yield from self._more()
        if found < 0 or found - self._at > most:
            raise BadAnswer(f"the head of an answer or of a chunk has more than {most} bytes")
        text = self._came[self._at : found]
        self._at = found + len(end)
        return text

    def _exactly(self, size: int) -> Generator[None, bytes, bytes]:
        part = self._came[self._at : self._at + size]
        self._at += len(part)
        if len(part) == size:
            return part
        parts = [part]
        while size := size - len(part):
            yield from self._more()
            part = self._came[:size]
            self._at = len(part)
            parts.append(part)
        return b"".join(parts)

    def _rest(self) -> Generator[None, bytes, bytes]:
        parts = [self._came[self._at :]]
        while data := (yield):
            parts.append(data)
        self._at = len(self._came)
        return b"".join(parts)

    def _more(self) -> Generator[None, bytes, None]:
        data = yield
        if not data:
            raise BadAnswer("the server hung up in the middle of its answer")
        self._came = self._came[self._at :] + data
        self._at = 0


# Heads


@dataclass(slots=True)
class _Head:
    status: int
    #: Whether the connection stays open after the body.
    keeps: bool
    length: int | None = None
    chunked: bool = False
    encoding: bytes = b""


def _head(text: bytes) -> _Head:
    first, *lines = text.split(b"\r\n")
    version, status = first[:9], first[9:12]
    if version not in (b"HTTP/1.1 ", b"HTTP/1.0 ") or not status.isdigit() or first[12:13] not in (b"", b" "):
        raise BadAnswer(f"what answered does not speak HTTP/1.1: {first[:100]!r}")
    head = _Head(int(status), keeps=version == b"HTTP/1.1 ")
    if len(status) < 3 or head.status < 100:
        raise BadAnswer(f"an answer has no status: {first[:100]!r}")
    if text.count(b"\n") != len(lines):
        raise BadAnswer("the lines of an answer do not end as those of HTTP/1.1 do")
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or line[0] in b" \t":
            raise BadAnswer(f"a header makes no sense: {line[:100]!r}")
        name = name.rstrip().lower()
        if name in _NEEDED:
            _notice(head, name, value.strip().lower())
    return head


def _notice(head: _Head, name: bytes, value: bytes) -> None:
    if name == b"content-length":
        # The same length twice, on two lines or on one, is still one length.
        for text in value.split(b","):
            length = _length(text.strip())
            if head.length not in (None, length):
                raise BadAnswer("an answer has two lengths")
            head.length = length
    elif name == b"transfer-encoding":
        if value != b"chunked" or head.chunked:
            raise BadAnswer(f"an answer is sent in a way that nobody asked for: {value[:100]!r}")
        head.chunked = True
    elif name == b"connection":
        head.keeps = head.keeps and b"close" not in [word.strip() for word in value.split(b",")]
    elif value != b"identity":
        head.encoding = value


def _length(text: bytes) -> int:
    if not text.isdigit() or len(text) > _DIGITS_MAX:
        raise BadAnswer(f"the length of an answer is no number: {text[:100]!r}")
    return int(text)


def _chunk_size(line: bytes) -> int:
    size = line.partition(b";")[0].rstrip()
    if not size or len(size) > _DIGITS_MAX or size.strip(_HEX):
        raise BadAnswer(f"the size of a chunk is no number: {line[:100]!r}")
    return int(size, 16)


def _decoded(body: bytes, encoding: bytes) -> bytes:
    """Those who send an Accept-Encoding of their own get what they asked for."""
    if not encoding or not body:
        return body
    if encoding not in (b"gzip", b"x-gzip", b"deflate"):
        raise BadAnswer(f"an answer is packed in a way that nobody can read: {encoding[:100]!r}")
    try:
        return zlib.decompress(body, zlib.MAX_WBITS | 32)
    except zlib.error as error:
        raise BadAnswer(f"an answer cannot be unpacked: {error}") from error
