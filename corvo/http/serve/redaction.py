"""Redaction: what those see of payloads who may not read them (`payload:read`).

    answer of a handler -> [redaction] -> client without payload:read

A job's own data is taken out of whatever shows it: single jobs, searches, failures, batches, schedules,
history, events. It works on the finished answer, so a new route cannot forget it, and what it hides it
neither reads nor copies. Fetches are not redacted: a worker needs its payload.
"""

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from corvo.actors.mirror.messages import SearchRequest
from corvo.core.errors import Forbidden
from corvo.core.namespace import matches
from corvo.core.splice import on_one_line
from corvo.http.wire.message import Request, Response

PAYLOAD_READ: Final = "payload:read"
_REDACTED: Final = b'"[redacted]"'

#: Members that hold data of jobs, wherever an answer has them.
_DATA: Final = frozenset(
    {"payload", "result", "checkpoint", "progress", "error", "last_error", "backtrace", "callback_payload"}
)
#: What a client sent, as it sent it: the data of these events.
_RAW_EVENTS: Final = frozenset({"progress"})
#: Members that repeat an error, or what a worker said of its job: hidden if errors are. The groups of
#: failures are named by their error.
_REPEATING: Final = frozenset({"failure", "reason", "hold_reason"})
#: Explanations of these kinds repeat one, too.
_REPEATED_BY: Final = frozenset({"dead", "held"})
#: Routes that show data of jobs are those that need one of these.
_SHOWING: Final = ("jobs", "batch", "schedules", "events", "enqueue")

#: Members of a search that look into data of jobs.
_ASKING: Final = ("payload_contains", "payload_jq", "error_contains", "failure")

_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_array: Final = msgspec.json.Decoder(list[msgspec.Raw])
_encode: Final = msgspec.json.Encoder().encode


def shows_data(needs: str) -> bool:
    """Whether answers of a route that needs this permission may hold data of jobs."""
    return needs.partition(":")[0] in _SHOWING


class Redactor:
    def __init__(self, fields: str) -> None:
        """`fields` are globs of member names, separated by commas; `*` is everything."""
        globs = tuple(part.strip() for part in fields.split(",") if part.strip())
        self._globs = tuple(glob.lower() for glob in globs)

    def redact(self, response: Response) -> None:
        if response.status >= 400:
            return
        if response.stream is not None:
            if response.content_type.startswith(b"text/event-stream"):
                response.stream = self._events(response.stream)
        elif response.body and response.content_type == b"application/json":
            response.body = self.answer(response.body)

    def answer(self, body: bytes) -> bytes:
        """The body of an answer without what its reader may not see."""
        try:
            return self._answer(body)
        except (msgspec.DecodeError, RecursionError):
            return _REDACTED

    async def _events(self, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Pieces hold whole events, each with its data on one line."""
        async for piece in stream:
            lines = piece.split(b"\n")
            for number, line in enumerate(lines):
                if line.startswith(b"data: "):
                    lines[number] = b"data: " + on_one_line(self.answer(line[6:]))
            yield b"\n".join(lines)

    # The server's own members

    def _answer(self, raw: bytes) -> bytes:
        match raw[:1]:
            case b"{":
                members = _object.decode(raw)
                told = {name: self._member(name, bytes(value), members) for name, value in members.items()}
                return _object_of(told)
            case b"[":
                return b"[%b]" % b",".join([self._answer(bytes(value)) for value in _array.decode(raw)])
            case _:
                return raw

    def _member(self, name: str, raw: bytes, beside: dict[str, msgspec.Raw]) -> bytes:
        if name in _DATA:
            return self._data(name, raw)
        if name == "data" and _word(beside, "type") in _RAW_EVENTS:
            return self._data("progress", raw)
        if name in _REPEATING or (name == "text" and _word(beside, "code") in _REPEATED_BY):
            return _REDACTED if self._hides("error") else raw
        return self._answer(raw) if raw[:1] in (b"{", b"[") else raw

    # What clients have sent

    def _data(self, name: str, raw: bytes) -> bytes:
        if raw == b"null":
            return raw
        if self._hides(name):
            return _REDACTED
        match raw[:1]:
            case b"{":
                members = _object.decode(raw)
                return _object_of({own: self._data(own, bytes(value)) for own, value in members.items()})
            case b"[":
                # An array has no names of its own: what is in it goes by the array's.
                return b"[%b]" % b",".join([self._data("", bytes(value)) for value in _array.decode(raw)])
            case _:
                return raw

    def _hides(self, name: str) -> bool:
        return matches(name.lower(), self._globs)


def _word(members: dict[str, msgspec.Raw], name: str) -> str:
    """A member that is a word of ours, without its quotes."""
    return bytes(members.get(name, msgspec.Raw(b'""')))[1:-1].decode()


def check_search(request: Request, wanted: SearchRequest) -> None:
    """Who may not read payloads and errors may not ask for jobs by what is in them either: guess by guess,
    the answers would tell."""
    if PAYLOAD_READ in request.principal.permissions:
        return
    for name in _ASKING:
        if getattr(wanted, name) is not None:
            raise Forbidden(
                f"{name} looks into payloads or errors, which takes the permission {PAYLOAD_READ}"
            )


def _object_of(members: dict[str, bytes]) -> bytes:
    return b"{%b}" % b",".join([b"%b:%b" % (_encode(name), value) for name, value in members.items()])
