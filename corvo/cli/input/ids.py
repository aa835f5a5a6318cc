"""Job ids on stdin: one per line, a table, a JSON array, NDJSON, or the answer of a search."""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import Misused
from corvo.cli.request.session import Session

_ID = re.compile(r"(?:s\d+_)?job_[0-9A-Za-z_]*(?:(?:…|\.\.\.)[0-9A-Za-z]+)?")
_WHOLE = re.compile(r"(?:s\d+_)?job_[0-9A-Z]{26}")
_CUT = re.compile(r"…|\.\.\.")
#: An end of an id; shorter ones would fit too many.
_END = re.compile(r"[0-9A-Za-z]{4,26}")
_SHOWN = 5


#: For the arguments of a command; `given` makes ids of them.
ids_argument = click.argument("job_ids", nargs=-1, metavar="[ID]...")


def given(session: Session, arguments: Iterable[str]) -> list[str]:
    """Ids from the arguments, or from stdin if there are none or `-` is among them. Nothing on stdin is what
    a search that finds nothing leaves: then there is nothing to do, and that is no error."""
    ids = list(arguments)
    if ids and "-" not in ids:
        return _unique(whole(session, word) for word in ids)
    if not ids and sys.stdin.isatty():
        raise Misused("which jobs? Give ids as arguments, or on stdin")
    named = [job_id for job_id in ids if job_id != "-"]
    found = _unique(whole(session, word) for word in (*named, *parse(sys.stdin.read())))
    if not found:
        session.talk("no ids on stdin: nothing to do")
        sys.exit(ExitCode.OK)
    return found


def whole(session: Session, word: str) -> str:
    """The id that is meant by a part of it: its beginning, its end, or both as tables show it. A part that
    fits several jobs is refused; one that fits none is left to the server to refuse."""
    begin, end = _parts(word)
    wanted = {"job_id_prefix": begin, "job_id_suffix": end.upper()}
    wanted = {name: text for name, text in wanted.items() if text}
    if _WHOLE.fullmatch(word) or not wanted:
        return word
    page = session.api.ask("/api/v1/jobs/search", wanted | {"limit": _SHOWN})
    found = [job["id"] for job in page["jobs"]]
    if len(found) > 1:
        others = ", ..." if page["has_more"] else ""
        raise Misused(f"{word} could be any of {page['total']} jobs: {', '.join(found)}{others}")
    return found[0] if found else word


def _parts(word: str) -> tuple[str, str]:
    if _CUT.search(word):
        begin, end = _CUT.split(word, maxsplit=1)
        return begin, end
    if re.match(r"(s\d+_)?job_", word):
        return word, ""
    return ("", word) if _END.fullmatch(word) else ("", "")


def parse(text: str) -> list[str]:
    stripped = text.strip()
    if stripped.startswith(("[", "{")):
        return list(_from_json(stripped))
    return list(_from_lines(stripped.splitlines()))


def _from_json(text: str) -> Iterator[str]:
    """One JSON value after another; each an id, a job, an array of them or {"jobs": [...]}."""
    decoder = json.JSONDecoder()
    position = 0
    while position < len(text):
        try:
            value, end = decoder.raw_decode(text, position)
        except ValueError as error:
            raise Misused(f"stdin is not the JSON it seems to be: {error}") from None
        except RecursionError:
            raise Misused("stdin is nested too deeply") from None
        yield from _from_value(value)
        position = end
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1


def _from_value(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for member in value:
                yield from _from_value(member)
        case {"jobs": list(jobs)}:
            yield from _from_value(jobs)
        case {"job_ids": list(job_ids)}:
            yield from _from_value(job_ids)
        case {"id": str(job_id)} | {"job_id": str(job_id)}:
            yield job_id
        case _:
            raise Misused(f"stdin holds something that is not a job: {json.dumps(value)[:60]}")


def _from_lines(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        words = line.split()
        if not words or (number == 0 and words[0] == "ID"):
            continue  # The heading of a table.
        word = words[0].strip('",')
        if not _ID.fullmatch(word):
            raise Misused(f"line {number + 1} of stdin does not begin with the id of a job: {line[:60]!r}")
        yield word


def _unique(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))
