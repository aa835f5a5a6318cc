"""Splice: puts JSON objects together without reading them.

What clients own is kept as the bytes they sent, also where the server adds something of its own: a chain
step gets the result of the step before, a callback the counts of its batch. A parser of the result
sees the later of two equal names, as in any JSON object.
"""


def join(*objects: bytes) -> bytes:
    """The members of all these objects in one; later ones win."""
    inner = [text for raw in objects if (text := raw.strip()[1:-1].strip())]
    return b"{" + b",".join(inner) + b"}"


def on_one_line(raw: bytes) -> bytes:
    """The JSON without its line breaks. It can have them only between its parts, where they mean nothing: in
    a string they must be escaped."""
    return raw.replace(b"\n", b" ").replace(b"\r", b" ")


def is_object(raw: bytes) -> bool:
    return raw.lstrip()[:1] == b"{"


def members(raw: bytes | None) -> bytes:
    """A client's value as an object: itself if it is one, else under the name `payload`."""
    if raw is None:
        return b"{}"
    return raw if is_object(raw) else b'{"payload":' + raw + b"}"
